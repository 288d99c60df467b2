package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

type options struct {
	stacks, scenarios string
	rounds            int
	short             bool
	check             bool
	calm              bool
	sdk               string
}

// jobLimit is how long one measurement may take before it counts as hanging.
const jobLimit = 20 * time.Second

// A measurement is what came out of one job: values, or why there are none.
type measurement struct {
	values values
	failed string
	hung   bool // failed by taking too long, which is not worth another try
}

// measurements of a scenario by stack, one a round.
type measurements map[string][]measurement

// A driver runs jobs.
type driver struct {
	self   string // this program
	node   string // "" if there is none
	sdk    string // absolute path of node_modules, "" if the SDK is not there
	tsHome string // absolute path of ts/
}

// drive takes all measurements that were asked for and prints the table.
func drive(o options) error {
	d, err := newDriver(o.sdk)
	if err != nil {
		return err
	}
	wanted, err := d.stacks(o.stacks)
	if err != nil {
		return err
	}
	chosen, err := chooseScenarios(o.scenarios)
	if err != nil {
		return err
	}
	if o.short {
		o.rounds = 1
	}

	command, err := buildCommand()
	if err != nil {
		return err
	}
	defer os.Remove(command)
	if err := os.Setenv(commandVariable, command); err != nil {
		return err
	}

	printEnvironment(d, wanted, o.rounds)
	results := make(map[string]measurements)
	for _, s := range chosen {
		results[s.name] = make(measurements)
	}
	for round := range o.rounds {
		for _, s := range chosen {
			for _, stack := range wanted {
				if !slices.Contains(s.stacks, stack) || results[s.name].hung(stack) {
					continue
				}
				fmt.Fprintf(os.Stderr, "\rround %d: %-18s%-10s", round+1, s.name, stack)
				if o.calm {
					waitForCalm(5 * time.Second)
				}
				m := d.measure(s.jobFor(stack, o.short))
				results[s.name][stack] = append(results[s.name][stack], m)
			}
		}
	}
	fmt.Fprintf(os.Stderr, "\r%40s\r", "")
	printTable(os.Stdout, wanted, results)
	missed := printTargets(os.Stdout, results)
	if o.check && missed > 0 {
		return fmt.Errorf("%d targets missed", missed)
	}
	return nil
}

func chooseScenarios(list string) ([]scenario, error) {
	var names []string
	for _, s := range scenarios {
		names = append(names, s.name)
	}
	names, err := choose(list, names)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(scenarios), func(s scenario) bool { return !slices.Contains(names, s.name) }), nil
}

func (s scenario) jobFor(stack string, short bool) job {
	j := s.job
	j.Scenario, j.Stack = s.name, stack
	if short {
		j.Millis /= 3
	}
	return j
}

// hung reports whether a stack took too long the last time.
func (ms measurements) hung(stack string) bool {
	n := len(ms[stack])
	return n > 0 && ms[stack][n-1].hung
}

func newDriver(sdk string) (*driver, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	d := &driver{self: self}
	if d.tsHome, err = filepath.Abs("ts"); err != nil {
		return nil, err
	}
	d.node, _ = exec.LookPath("node")
	if _, err := os.Stat(filepath.Join(sdk, sdkPackage, "package.json")); err == nil {
		if d.sdk, err = filepath.Abs(sdk); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// stacks returns those of the list, less what is not here if the list does not insist on it.
func (d *driver) stacks(list string) ([]string, error) {
	wanted, err := choose(list, stackNames)
	if err != nil {
		return nil, err
	}
	why := func(name string) string {
		switch {
		case name != "ts" && stacks[name] == nil:
			return "not built in"
		case name == "ts" && d.node == "":
			return "no node in PATH"
		case name == "ts" && d.sdk == "":
			return "the SDK is not there: run npm ci in interop, or name its node_modules with -sdk"
		}
		return ""
	}
	var here []string
	for _, name := range wanted {
		switch reason := why(name); {
		case reason == "":
			here = append(here, name)
		case list != "":
			return nil, fmt.Errorf("stack %s: %s", name, reason)
		default:
			fmt.Fprintf(os.Stderr, "bench: without %s: %s\n", name, reason)
		}
	}
	return here, nil
}

// measure runs a job in a process of its own.
func (d *driver) measure(j job) measurement {
	j.Agent = []string{d.self, "agent", j.Stack}
	argv := []string{d.self, "job"}
	if j.Stack == "ts" {
		j.Agent = []string{d.node, "--expose-gc", filepath.Join(d.tsHome, "agent.mjs")}
		if j.Scenario == "start" {
			j.Agent = append(j.Agent, "initialize")
		}
		if j.Scenario != "cancel" && j.Scenario != "start" { // whose client is ours for all stacks
			argv = []string{d.node, "--expose-gc", filepath.Join(d.tsHome, "client.mjs")}
		}
	}
	text, err := json.Marshal(j)
	if err != nil {
		return measurement{failed: err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), jobLimit)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], string(text))...)
	cmd.Env = append(os.Environ(), "BENCH_SDK="+d.sdk)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return measurement{failed: fmt.Sprintf("hangs: gave up after %v", jobLimit), hung: true}
	}
	if err != nil {
		if last := lastLine(stderr.String()); last != "" {
			return measurement{failed: last}
		}
		return measurement{failed: err.Error()}
	}
	var v values
	if err := json.Unmarshal(stdout.Bytes(), &v); err != nil {
		return measurement{failed: fmt.Sprintf("unreadable values: %v", err)}
	}
	return measurement{values: v}
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimPrefix(text[strings.LastIndexByte(text, '\n')+1:], "bench: ")
}
