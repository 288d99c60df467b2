package promises

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const root = "../.."

var update = flag.Bool("update", false, "write the tests of each promise into the list")

// The list and the tests of this very repository agree.
func TestRepository(t *testing.T) {
	repository := os.DirFS(root)
	if *update {
		tests, _, err := Scan(repository)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(root, Document)
		doc, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(Update(string(doc), tests)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	problems, err := Check(repository)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}

const table = "# A list\n\n| id | promise | state | tests |\n|---|---|---|---|\n"

// proof is a test file that proves W1, W2, F23 and S002.14, each in another way.
const proof = `package wire

import "testing"

func TestW1_Frames(t *testing.T) {}

// TestLimit shows that a large message is skipped (W2).
func TestLimit(t *testing.T) {
	if testing.Short() {
		t.Log("short") // F23 needs the whole run
	}
}

func FuzzS002_14_Servers(f *testing.F) {}
`

// Each case is a small repository and the words that the checker must find for it; no words means that all is well.
func TestCheck(t *testing.T) {
	good := table + `| W1 | Frames. | kept | wire: TestW1_Frames |
| W2 | Limits. Missing: the other half. | part | wire: TestLimit |
| F23 | Order. | kept | wire: TestLimit |
| S002.14 | Servers with \| in them. | kept | wire: FuzzS002_14_Servers |
| T1 | Turns. | planned | |
`
	for name, c := range map[string]struct {
		doc   string            // instead of good
		files map[string]string // beside proof
		want  []string
	}{
		"all fits": {},
		"kept without tests": {
			doc:  good + "| W3 | Noise. | kept | |\n",
			want: []string{"W3 is kept, but names no test"},
		},
		"part without tests": {
			doc:  good + "| W3 | Noise. Missing: most. | part | |\n",
			want: []string{"W3 is part, but names no test"},
		},
		"part that doesn't say what is missing": {
			doc:  strings.Replace(good, " Missing: the other half.", "", 1),
			want: []string{`docs/requirements.md:6: W2 is part: the text says what is "Missing:"`},
		},
		"kept with something missing": {
			doc:  strings.Replace(good, "| F23 | Order.", "| F23 | Order. Missing: requests.", 1),
			want: []string{`F23 is kept: the text says what is "Missing:"`},
		},
		"a named test that doesn't exist": {
			doc:  strings.Replace(good, "wire: TestW1_Frames", "wire: TestW1_Frames, TestW1_Gone", 1),
			want: []string{"W1 names wire: TestW1_Gone, which doesn't exist"},
		},
		"a named test in another folder": {
			doc:  strings.Replace(good, "wire: TestW1_Frames", "acp: TestW1_Frames", 1),
			want: []string{"W1 names acp: TestW1_Frames, which doesn't exist"},
		},
		"a named test that doesn't carry the id": {
			doc:  strings.Replace(good, "wire: TestW1_Frames", "wire: TestLimit", 1),
			want: []string{"W1 names wire: TestLimit, which doesn't say that it proves it"},
		},
		"a named test that is commented out": {
			files: map[string]string{"wire/wire_test.go": strings.Replace(proof, "func TestW1_Frames", "// func TestW1_Frames", 1)},
			want:  []string{"W1 names wire: TestW1_Frames, which doesn't exist"},
		},
		"an id in a helper beside the test": {
			files: map[string]string{"wire/wire_test.go": strings.Replace(proof, "func TestLimit(", "func helper() {}\nfunc TestLimit(", 1)},
			want: []string{
				"W2 names wire: TestLimit, which doesn't say that it proves it",
			},
		},
		"an unknown id in a comment": {
			files: map[string]string{"bench/rivals_test.go": "package bench\n\n// Also F999.\nfunc helper() {}\n"},
			want:  []string{"bench/rivals_test.go:3: cites F999, which isn't listed"},
		},
		"an unknown id in a name": {
			files: map[string]string{"acp/acp_test.go": "package acp\n\nfunc TestS004_7_Permission(t *testing.T) {}\n"},
			want:  []string{"acp/acp_test.go:3: cites S004.7, which isn't listed"},
		},
		"a second unknown id in a name": {
			files: map[string]string{"acp/acp_test.go": "package acp\n\nfunc TestW1_F24(t *testing.T) {}\n"},
			want:  []string{"acp/acp_test.go:3: cites F24, which isn't listed"},
		},
		"an id listed twice": {
			doc:  good + "| F23 | Order again. | planned | |\n",
			want: []string{"docs/requirements.md:10: F23 is listed again, first in line 7"},
		},
		"a planned promise with a test": {
			files: map[string]string{"agent/turn_test.go": "package agent\n\n// TestStop shows T1.\nfunc TestStop(t *testing.T) {}\n"},
			want:  []string{"docs/requirements.md:9: T1 is planned, but agent: TestStop proves some of it"},
		},
		"a planned promise that names a test": {
			doc:  good + "| T2 | Flush. | planned | wire: TestLimit |\n",
			want: []string{"T2 is planned, but names tests"},
		},
		"an unknown state": {
			doc:  good + "| T2 | Flush. | done | |\n",
			want: []string{`T2 has state "done"`},
		},
		"no id": {
			doc:  good + "| X2 | Flush. | planned | |\n",
			want: []string{`"X2" is no id`},
		},
		"no text": {
			doc:  good + "| T2 | | planned | |\n",
			want: []string{"T2 promises nothing"},
		},
		"a row that is too short": {
			doc:  good + "| T2 | Flush. | planned |\n",
			want: []string{"a row of 3 cells, want 4"},
		},
		"a test without its folder": {
			doc:  strings.Replace(good, "wire: TestW1_Frames", "TestW1_Frames", 1),
			want: []string{"W1: tests are written"},
		},
		"a table with another header": {
			doc:  good + "\n| id | what |\n|---|---|\n| T2 | Flush. |\n",
			want: []string{"T2 stands in a table that isn't one of promises"},
		},
		"another table without ids": {
			doc: good + "\n| word | meaning |\n|---|---|\n| turn | a span of work |\n",
		},
		"an empty list": {
			doc:   "# A list\n",
			files: map[string]string{"wire/wire_test.go": "package wire\n"},
			want:  []string{"lists no promise"},
		},
		"tests that no one sees": {
			files: map[string]string{
				"interop/node_modules/x/x_test.go": "package x // F999",
				"acp/testdata/x_test.go":           "package x // F999",
				".cache/x_test.go":                 "package x // F999",
			},
		},
		"an unknown id in a script": {
			files: map[string]string{"jsonrpc/testdata/wire/x.txt": "# W1: frames\n> F999\n# F999: noise\n"},
			want:  []string{"jsonrpc/testdata/wire/x.txt:3: cites F999, which isn't listed"},
		},
		"benchmarks and helpers prove nothing": {
			files: map[string]string{"agent/turn_test.go": "package agent\n\nfunc BenchmarkX(b *testing.B) {} // T1\n\nfunc Testing() {} // T1\n"},
		},
		"bytes and types are no ids": {
			files: map[string]string{"acp/acp_test.go": "package acp\n\n// The bytes 0xF8 and F0, U+00F7, W3C, T0, T123x and S001.\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"wire/wire_test.go": {Data: []byte(proof)}, Document: {Data: []byte(good)}}
			if c.doc != "" {
				tree[Document] = &fstest.MapFile{Data: []byte(c.doc)}
			}
			for name, text := range c.files {
				tree[name] = &fstest.MapFile{Data: []byte(text)}
			}
			problems, err := Check(tree)
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) != len(c.want) {
				t.Fatalf("found %d problems, want %d: %v", len(problems), len(c.want), problems)
			}
			for i, want := range c.want {
				if !strings.Contains(problems[i].String(), want) {
					t.Errorf("found %q, want %q", problems[i], want)
				}
			}
		})
	}
}

func TestCheckUnreadable(t *testing.T) {
	for name, tree := range map[string]fstest.MapFS{
		"no document":        {"wire/wire_test.go": {Data: []byte(proof)}},
		"a test in bad form": {Document: {Data: []byte(table)}, "wire/wire_test.go": {Data: []byte("package")}},
	} {
		t.Run(name, func(t *testing.T) {
			if problems, err := Check(tree); err == nil {
				t.Errorf("no error, problems %v", problems)
			}
		})
	}
}

func TestUpdate(t *testing.T) {
	doc := table + `| W1 | Frames. | kept | |
| W2 | Limits \| more. Missing: the other half. | part | wire: TestGone |
| S002.14 | Servers. | planned | |

| id | what |
|---|---|
| W1 | stays |
`
	tests, _, err := Scan(fstest.MapFS{
		"wire/wire_test.go": {Data: []byte(proof)},
		"acp/b_test.go":     {Data: []byte("package acp\n\nfunc TestW1_B(t *testing.T) {}\n\nfunc TestW1_A(t *testing.T) {}\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := Update(doc, tests)
	want := strings.NewReplacer(
		"Frames. | kept | |", "Frames. | kept | acp: TestW1_A, TestW1_B; wire: TestW1_Frames |",
		"wire: TestGone", "wire: TestLimit",
	).Replace(doc)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := Update(got, tests); again != got {
		t.Errorf("a second update changed\n%s\ninto\n%s", got, again)
	}
}
