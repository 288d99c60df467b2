package main

// A scenario is something that users do, measured.
type scenario struct {
	name   string
	title  string
	job    job      // what to do, Stack and Agent aside
	rows   []row    // what to print
	stacks []string // which stacks can do it
	run    func(job) (values, error)
}

// A row is one line of the table.
type row struct {
	value  string // the key in values
	title  string
	digits int  // after the decimal point
	more   bool // more is better
	sum    bool // show the sum over the rounds rather than the median: for failures
}

var goOnly = []string{"patchbay", "core", "coder", "floor"}

var scenarios = []scenario{
	{
		name:   "roundtrip-memory",
		title:  "small request, in memory",
		job:    job{Millis: 300},
		rows:   roundtripRows,
		stacks: goOnly,
		run:    runRoundtripMemory,
	},
	{
		name:   "roundtrip",
		title:  "small request, subprocess",
		job:    job{Millis: 400},
		rows:   roundtripRows,
		stacks: stackNames,
		run:    runRoundtrip,
	},
	{
		name:   "prompt",
		title:  "prompt without updates, subprocess",
		job:    job{Millis: 400},
		rows:   roundtripRows,
		stacks: stackNames,
		run:    runPrompts,
	},
	{
		name:   "updates-100",
		title:  "updates of 100 B, subprocess",
		job:    job{Size: 100, Millis: 400},
		rows:   updateRows,
		stacks: stackNames,
		run:    runUpdates,
	},
	{
		name:   "updates-10k",
		title:  "updates of 10 KB, subprocess",
		job:    job{Size: 10_000, Millis: 400},
		rows:   updateRows,
		stacks: stackNames,
		run:    runUpdates,
	},
	{
		name:   "prompt-32m",
		title:  "prompt of 32 MiB, subprocess",
		job:    job{Size: 32 << 20, Count: 3},
		rows:   promptRows,
		stacks: stackNames,
		run:    runPrompt,
	},
	{
		name:   "sessions",
		title:  "1,000 sessions × 10 updates, one connection",
		job:    job{Count: 1000},
		rows:   sessionRows,
		stacks: stackNames,
		run:    runSessions,
	},
	{
		name:   "idle",
		title:  "idle connection, one end",
		job:    job{Count: 100},
		rows:   []row{{value: "kib", title: "KiB", digits: 1}},
		stacks: stackNames,
		run:    runIdle,
	},
	{
		name:   "idle-64m",
		title:  "idle connection, one end, after a message of 64 MiB",
		job:    job{Count: 4, Size: 64<<20 - 4096},
		rows:   []row{{value: "kib", title: "KiB", digits: 1}},
		stacks: []string{"patchbay", "core", "coder", "ts"},
		run:    runIdle,
	},
	{
		name:   "cancel",
		title:  "500 prompts, each with a cancel in the same write",
		job:    job{Count: 500},
		rows:   cancelRows,
		stacks: []string{"patchbay", "core", "coder", "ts"},
		run:    runCancel,
	},
	{
		name:   "start",
		title:  "start of an agent, until it has answered initialize",
		job:    job{Count: 30},
		rows:   startRows,
		stacks: []string{"patchbay", "coder", "ts"},
		run:    runStart,
	},
	{
		name:   "run",
		title:  "patchbay run of a turn of one word, start to end",
		job:    job{Count: 30},
		rows:   startRows,
		stacks: []string{"patchbay"},
		run:    runCommand,
	},
	{
		name:   "first-word",
		title:  "coding agent: a model's first word, to the client",
		job:    job{Count: 100},
		rows:   wordRows,
		stacks: []string{ours},
		run:    runFirstWord,
	},
	{
		name:   "reads",
		title:  "coding agent: 50 files at once, 20 ms each",
		job:    job{Count: 20},
		rows:   readRows,
		stacks: []string{ours},
		run:    runReads,
	},
}
