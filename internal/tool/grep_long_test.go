package tool_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// S000.6: a search that would take hours ends as soon as it is cancelled, in one long line and in many, and by whatever of
// the two ways to search.
func TestGrepIsCancelled(t *testing.T) {
	grep(t, func(t *testing.T, grep *tool.Tool) {
		for name, text := range map[string]string{
			"one line":   strings.Repeat("a", 8<<20),
			"many lines": strings.Repeat(strings.Repeat("a", 4000)+"\n", 2000),
		} {
			p := at(t, "f", text+"\nxend\n")
			job, err := p.prepare(grep, `{'pattern':'[a-z]{1,1000}(Z|end)'}`)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := job.Run(ctx)
				done <- err
			}()
			select {
			case err := <-done:
				t.Fatalf("%s: it is over already: %v", name, err)
			case <-time.After(100 * time.Millisecond): // so that it has begun
			}
			cancel()
			cancelled := time.Now()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%s: got error %v", name, err)
			}
			if took := time.Since(cancelled); took > time.Second {
				t.Errorf("%s: the cancel took %s", name, took)
			}
		}
	})
}

// What a line of any length matches is what package regexp says that it does.
func TestGrepOfLongLines(t *testing.T) {
	grep(t, func(t *testing.T, grep *tool.Tool) {
		for _, text := range []string{
			strings.Repeat("aé\xff ", 400) + "needle!", "needle" + strings.Repeat(" \u2028x", 400), strings.Repeat("x", 1500), strings.Repeat("\xff", 1500) + "\r",
			strings.Repeat("é", 700) + "\xe2\x82",
		} {
			p := at(t, "f", "short\n"+text+"\n")
			for _, pattern := range []string{
				"needle", "needle$", "^needle", "needle.", "(?i)NEEDLE", "e{2}d", "x{100}$", "^x+$", `\bneedle\b`, "\uFFFD", "^\uFFFD+$", `[^a-z é]$`, "^.*$", `\Ané`, "n|é$", ".{300}n",
			} {
				r := p.must(grep, fmt.Sprintf(`{"pattern":%s,"output":"count"}`, quoteJSON(pattern)))
				expr := regexp.MustCompile(pattern)
				want := 0
				for _, line := range []string{"short", strings.TrimSuffix(text, "\r")} {
					if expr.MatchString(line) {
						want++
					}
				}
				if got := strings.Contains(r.Text, fmt.Sprintf("\nf:%d\n", want)); got != (want > 0) {
					t.Errorf("%s in %.20q…: got %q, want %d lines", pattern, text, r.Text, want)
				}
			}
		}
	})
}

// A pattern for names is bounded in how many it stands for.
func TestGlobsAreBounded(t *testing.T) {
	p := at(t, "a.go", "")
	for pattern, ok := range map[string]bool{
		"*.{js,jsx,ts,tsx,go,css,html,json,md}": true, "{a,b}{.,-}{go,c}": true,
		strings.Repeat("{a,aa}", 10): false, strings.Repeat("{a,", 30) + "b" + strings.Repeat("}", 30): false,
	} {
		for _, c := range []use{{tool.Glob(), `{"pattern":%s}`}, {tool.Grep(""), `{"pattern":"x","glob":%s}`}} {
			_, err := c.tool.Prepare(p.env, acp.Raw(fmt.Sprintf(c.input, quoteJSON(pattern))))
			if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "more than 1000 alternatives") {
				t.Errorf("%s %s: got error %v", c.tool.Name, pattern, err)
			}
		}
	}
}
