package main

import (
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestMain lets the test program be the agent of a stack, as main does.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "agent" {
		if err := runAgent(os.Args[2]); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

// Every stack in Go can do every scenario that it claims, on a small scale.
func TestScenarios(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios {
		for name := range stacks {
			if !slices.Contains(s.stacks, name) {
				continue
			}
			t.Run(s.name+"/"+name, func(t *testing.T) {
				j := s.job
				j.Stack, j.Scenario, j.Agent = name, s.name, []string{self, "agent", name}
				j.Size = min(j.Size, 1<<20)
				j.Count = min(j.Count, 20)
				j.Millis = min(j.Millis, 20)
				v, err := s.run(j)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := v[s.rows[0].value]; !ok {
					t.Errorf("no %q in %v", s.rows[0].value, v)
				}
				if name == ours && (v["failed"] > 0 || v["lost"] > 0 || v["late"] > 0 || v["touched"] > 0) {
					t.Errorf("something went wrong: %v", v)
				}
			})
		}
	}
}

func TestTargetsAndRowsNameWhatScenariosMeasure(t *testing.T) {
	rows := make(map[string]bool)
	for _, s := range scenarios {
		for _, r := range s.rows {
			rows[s.name+" "+r.value] = true
		}
	}
	for _, target := range targets {
		if !rows[target.scenario+" "+target.value] {
			t.Errorf("the target %q is about %s of %s, which is in no row", target.title, target.value, target.scenario)
		}
	}
}

func TestTable(t *testing.T) {
	results := map[string]measurements{"updates-100": {
		"patchbay": {{values: values{"messages": 600_000}}, {values: values{"messages": 1_200_000}}},
		"coder":    {{values: values{"messages": 100_000}}, {values: values{"messages": 100_000}}},
		"floor":    {{failed: "no pipe"}, {failed: "no pipe"}},
	}}
	var b strings.Builder
	printTable(&b, []string{"patchbay", "coder", "floor"}, results)
	want := "| 900,000 | 100,000 | fails |"
	for _, want := range []string{want, " 9.00 |", "- updates of 100 B, subprocess, floor: no pipe"} {
		if squeezed := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(squeezed, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	if n := strings.Count(b.String(), "no pipe"); n != 1 {
		t.Errorf("the same failure is reported %d times", n)
	}
}

func TestTargets(t *testing.T) {
	results := map[string]measurements{"sessions": {core: {
		{values: values{"failed": 0, "lost": 0, "late": 0}},
		{values: values{"failed": 0, "lost": 1, "late": 0}},
		{values: values{"failed": 0, "lost": 0, "late": 0}},
	}}}
	var b strings.Builder
	if missed := printTargets(&b, results); missed != 1 {
		t.Errorf("%d targets missed, want 1, since one lost update in any round is one too many:\n%s", missed, b.String())
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		x      float64
		digits int
		want   string
	}{
		{0, 0, "0"}, {999, 0, "999"}, {1000, 0, "1,000"}, {1234567.89, 1, "1,234,567.9"}, {-0.001, 1, "0.0"}, {-1234, 0, "-1,234"},
	} {
		if got := number(test.x, test.digits); got != test.want {
			t.Errorf("number(%v, %d) = %q, want %q", test.x, test.digits, got, test.want)
		}
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*lineBuffer) + "\n"
	text := "a\n" + long + "\n" + long + "b\n"
	l := lineReader{r: iotest.HalfReader(strings.NewReader(text))}
	var got strings.Builder
	for _, want := range []string{"a\n", long, "\n", long, "b\n"} {
		line, err := l.next()
		if err != nil || string(line) != want {
			t.Fatalf("got %d bytes, %v; want %d", len(line), err, len(want))
		}
		got.Write(line)
	}
	if _, err := l.next(); err == nil {
		t.Error("no error at the end")
	}
	if got.String() != text {
		t.Error("the lines are not the text")
	}
}
