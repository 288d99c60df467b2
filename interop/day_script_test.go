package interop_test

import (
	"encoding/base64"
	"strings"
)

// A day is a recorded day of work: what the user asks for, one task after the other, and what the model does then.
type day []task

// A task is a prompt and the model's answers until the turn is over.
type task struct {
	prompt  string // what the user types
	heard   string // what the model is told; "" is the prompt itself
	answers []answer
	rejects bool     // the user allows nothing
	unasked bool     // the model asks the user something, and there is nobody
	with    []object // what else is in the prompt, after the text
}

// An answer is what the model says to one request. The last one of a task has no calls.
type answer struct {
	thought, text string
	calls         []call
}

// A call is one that the model makes. DIR in its input is the project's folder, PAGE the address of a server on this machine.
type call struct {
	tool, input string
	heard       string // is in the result, as the model is told it; several texts with … between them are, in this order
	failed      bool
	image       bool // the result has one
}

// images counts those in the results of the calls.
func (a answer) images() (n int) {
	for _, c := range a.calls {
		if c.image {
			n++
		}
	}
	return n
}

// pixel is an image.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

// project are the files that the day begins with.
func project() map[string]string {
	logo, _ := base64.StdEncoding.DecodeString(pixel)
	return map[string]string{
		".git/HEAD":                    "ref: refs/heads/main\n",
		".gitignore":                   "build/\n",
		".patchbay/commands/all.md":    "---\ndescription: Do everything on a list\n---\nOne after the other: $ARGUMENTS\n",
		".patchbay/commands/change.md": "---\ndescription: Note a change\nargument-hint: what changed\n---\nNote in CHANGES.md: $ARGUMENTS\n",
		"AGENTS.md":                    "Greet politely.\n",
		"CHANGES.md":                   "# Changes\n",
		"build/greet.sh":               "# TODO: nobody sees this\n",
		"docs/colours.md":              "Blue.\n",
		"greet.sh":                     ". ./lib/words.sh\n# TODO: greet in French\necho \"$hello, $1\"\n",
		"lib/AGENTS.md":                "Words are one a line.\n",
		"lib/words.sh":                 "hello=Hello\nbye=Goodbye\n",
		"logo.png":                     string(logo),
		"notes, für später.txt":        "\ufeffcolour\r\nsize\r\nsize\r\n",
	}
}

// results are the files that the day leaves, apart from those that it doesn't touch.
func (d day) results() map[string]string {
	return map[string]string{
		"greet.sh":              ". ./lib/words.sh\nif test \"$2\" = fr; then hello=$bonjour; fi\necho \"$hello, ${1:-you}\"\n",
		"lib/words.sh":          "hello=Hello\nbye=Goodbye\nbonjour=Bonjour\n",
		"docs/new/how to.md":    "Say `sh greet.sh Zoé fr`, and „Bonjour“ it is.\n",
		"notes, für später.txt": "\ufeffcolour: blue\r\nheight\r\nheight\r\n",
		"CHANGES.md":            "# Changes\n\n* greets in French\n",
		"log.txt":               "one\n",
	}
}

// unattended is the day of a client that has nobody to ask.
func unattended() day {
	d := script()
	for i := range d {
		for _, a := range d[i].answers {
			for n := range a.calls {
				if a.calls[n].tool == "ask" {
					a.calls[n].heard, d[i].unasked = "The user declined to answer", true
				}
			}
		}
	}
	return d
}

// script is the day. It calls every tool, with success and without, alone and several at a time.
func script() day {
	return day{
		{
			prompt: "What is in this project?",
			answers: []answer{
				{
					thought: "I don't know this project.", text: "I look around. ",
					calls: []call{
						{tool: "list", input: `{"depth":2}`, heard: "AGENTS.md…build/…(ignored)…greet.sh…words.sh"},
						{tool: "glob", input: `{"pattern":"**/*.sh"}`, heard: "2 files match…greet.sh\nlib/words.sh"},
						{tool: "grep", input: `{"pattern":"TODO:?","path":"DIR"}`, heard: "greet.sh:2:# TODO: greet in French"},
						{tool: "read", input: `{"path":"DIR/greet.sh","offset":2,"limit":1}`, heard: "3 lines; this is line 2…TODO"},
						{tool: "read", input: `{"path":"logo.png"}`, heard: "logo.png is an image (image/png", image: true},
					},
				},
				{text: "A greeter that knows no French yet, and a logo. "},
			},
		},
		{
			prompt: "Let it greet in French, and write down how.",
			answers: []answer{
				{
					thought: "Two files to change.", text: "First the plan. ",
					calls: []call{
						{tool: "plan", input: `{"entries":[{"content":"Teach it French","priority":"high","status":"in_progress"},` +
							`{"content":"Write it down"}]}`, heard: "The plan has 2 steps"},
						{tool: "read", input: `{"path":"greet.sh"}`, heard: "1\t. ./lib/words.sh"},
						{tool: "read", input: `{"path":"lib/words.sh"}`, heard: "2\tbye=Goodbye…Words are one a line."},
					},
				},
				{calls: []call{
					{tool: "edit", input: `{"path":"greet.sh","edits":[` +
						`{"old":"# TODO: greet in French\n","new":"if test \"$2\" = fr; then hello=$bonjour; fi\n"},` +
						`{"old":"$1\"","new":"${1:-you}\""}]}`, heard: "Replaced 2 places in greet.sh"},
					{tool: "edit", input: `{"path":"lib/words.sh","edits":[{"old":"bye=Goodbye\n","new":"bye=Goodbye\nbonjour=Bonjour\n"}]}`, heard: "Replaced 1 place"},
					{tool: "write", input: `{"path":"docs/new/how to.md","text":"Say ` + "`sh greet.sh Zoé fr`" + `, and „Bonjour“ it is.\n"}`, heard: "Wrote the new file"},
					{tool: "shell", input: `{"command":"sh greet.sh Zoé fr && sh greet.sh","description":"Try it"}`, heard: "status 0\nBonjour, Zoé\nHello, you\n"},
					{tool: "plan", input: `{"entries":[{"content":"Teach it French","priority":"high","status":"completed"},` +
						`{"content":"Write it down","status":"completed"}]}`, heard: "The plan has 2 steps"},
				}},
				{text: "It greets in French: `sh greet.sh Zoé fr`. "},
			},
		},
		{
			prompt: "Fill in the notes.",
			answers: []answer{
				{calls: []call{
					{tool: "read", input: `{"path":"notes, für später.txt"}`, heard: "3 lines"},
					{tool: "ask", input: `{"question":"Which colour?","options":[{"label":"blue","description":"as the sky"},{"label":"red"}]}`, heard: "The user chose: blue"},
				}},
				{calls: []call{
					{tool: "edit", input: `{"path":"notes, für später.txt","edits":[{"old":"size","new":"height"}]}`, heard: "2 places…nothing was written", failed: true},
				}},
				{thought: "Both, then.", calls: []call{
					{tool: "edit", input: `{"path":"notes, für später.txt","edits":[{"old":"size","new":"height","all":true},{"old":"colour","new":"colour: blue"}]}`, heard: "Replaced 3 places"},
				}},
				{text: "Blue it is. "},
			},
		},
		{
			prompt: "Does the server answer?",
			answers: []answer{
				{calls: []call{
					{tool: "fetch", input: `{"url":"PAGE/status"}`, heard: "fetching PAGE/status…no address of the public Internet", failed: true},
					{tool: "shell", input: `{"command":"echo one | tee log.txt","background":true}`, heard: "in the background as job_1"},
					{tool: "shell", input: `{"command":"exec sleep 600","background":true}`, heard: "in the background as job_2"},
				}},
				{calls: []call{
					{tool: "job", input: `{"action":"output","id":"job_1","wait_seconds":60}`, heard: "job_1 ended with status 0\none\n"},
					{tool: "job", input: `{"action":"list"}`, heard: "job_1 (ended)…job_2 (running)"},
					{tool: "job", input: `{"action":"stop","id":"job_2"}`, heard: "job_2 was stopped"},
					{tool: "job", input: `{"action":"output","id":"job_9"}`, heard: "no job \"job_9\"", failed: true},
					{tool: "shell", input: `{"command":"echo gone >&2; exit 3"}`, heard: "status 3\ngone\n", failed: true},
					{tool: "read", input: `{"path":"../elsewhere.txt"}`, heard: "outside", failed: true},
					{tool: "grep", input: `{"pattern":"("}`, heard: "(", failed: true},
					{tool: "task", input: `{"description":"reach it","prompt":"Reach PAGE.","subagent_type":"diver"}`, heard: "no type of subagents named \"diver\"; there are general, explore", failed: true},
					{tool: "telnet", input: `{}`, heard: `no tool named "telnet"`, failed: true},
				}},
				{text: "I can't reach it from here. "},
			},
		},
		{
			prompt: "/change greets in French", heard: "Note in CHANGES.md: greets in French",
			answers: []answer{
				{calls: []call{{tool: "read", input: `{"path":"CHANGES.md"}`, heard: "# Changes"}}},
				{calls: []call{{tool: "write", input: `{"path":"CHANGES.md","text":"# Changes\n\n* greets in French\n"}`, heard: "Replaced CHANGES.md"}}},
				{text: "Noted. "},
			},
		},
		{
			prompt: "Clean up.", rejects: true,
			answers: []answer{
				{text: "Away with it all. ", calls: []call{{tool: "shell", input: `{"command":"rm -rf lib docs"}`, heard: "the user has rejected it", failed: true}}},
				{text: "Then not. "},
			},
		},
	}
}

// shown is a task with more than words in its prompt.
func shown() task {
	return task{
		prompt: "Look at this.",
		with: []object{
			{"type": "image", "mimeType": "image/png", "data": pixel},
			{"type": "resource_link", "name": "greet.sh", "uri": "file:///greet.sh"},
			{"type": "resource", "resource": object{"uri": "file:///notes/size.txt", "text": "7 by 7"}},
		},
		answers: []answer{{thought: "Small.", text: "A pixel. "}},
	}
}

// summary is what the model says of the day when it is asked for a summary.
const summary = "It greets in French now."

// atOnce makes one task of all that the user doesn't reject, put to the model by a command of the project's.
func (d day) atOnce() day {
	var prompts []string
	var all []answer
	for _, t := range d {
		if t.rejects {
			continue
		}
		prompts = append(prompts, strings.TrimPrefix(t.prompt, "/"))
		next := t.answers
		if len(all) > 0 { // the model goes on in the answer that would have ended the task before
			next[0].text = all[len(all)-1].text + next[0].text
			all = all[:len(all)-1]
		}
		all = append(all, next...)
	}
	list := strings.Join(prompts, " ")
	return day{{prompt: "/all " + list, heard: "One after the other: " + list, answers: all}}
}
