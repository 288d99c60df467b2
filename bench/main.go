package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run() error {
	// The two roles in which the program starts itself.
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case "job":
			return runJob(os.Args[2])
		case "agent":
			return runAgent(os.Args[2])
		}
	}

	var o options
	flag.StringVar(&o.stacks, "stack", "", "comma-separated stacks: patchbay, core, coder, ts, floor (default all)")
	flag.StringVar(&o.scenarios, "scenario", "", "comma-separated scenarios; -list shows them (default all)")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each measurement is taken")
	flag.BoolVar(&o.short, "short", false, "one round of shorter measurements")
	flag.StringVar(&o.sdk, "sdk", filepath.Join("..", "interop", "node_modules"), "where npm put @agentclientprotocol/sdk")
	flag.BoolVar(&o.calm, "calm", false, "before each measurement, wait at most 5 s until the machine is idle (Linux)")
	flag.BoolVar(&o.check, "check", false, "fail if a target is missed")
	list := flag.Bool("list", false, "list the scenarios")
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if *list {
		for _, s := range scenarios {
			fmt.Printf("%-18s%s\n", s.name, s.title)
		}
		return nil
	}
	return drive(o)
}
