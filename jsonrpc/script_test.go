package jsonrpc_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// TestWireScripts plays the scripts in testdata/wire, each named after the rule that it holds the connection to: W1, W3,
// W4, W7, W9, W10 and the faults F1, F2, F3, F4, F6, F7, F8, F9, F10, F11, F13, F15, F32, F50, F54, F88, F89 and S003.6.
// A script's first line that is no comment says which side the connection plays. Then, line by line:
//
//	> TEXT             the peer sends the text as one message     >x HEX      the same, in hexadecimal
//	< JSON             the next message must be this, and may have members beyond
//	<= TEXT            the next message must be this to the byte
//	<* JSON            one of this run of messages, in any order
//	! KIND             the connection reports a diagnostic of this kind
//	call N METHOD JSON our side makes a call
//	answer N JSON      call N returns this result
//	failure N WORDS    call N returns an error that says this
func TestWireScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/wire/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			playScript(t, strings.Split(strings.TrimSpace(string(text)), "\n"))
		})
	}
}

type outcome struct {
	result jsontext.Value
	err    error
}

type player struct {
	t           *testing.T
	conn        *jsonrpc.Conn
	peer        *rawPeer
	diagnostics chan jsonrpc.Diagnostic
	calls       map[string]chan outcome
}

func playScript(t *testing.T, lines []string) {
	p := &player{t: t, diagnostics: make(chan jsonrpc.Diagnostic, 100), calls: map[string]chan outcome{}}
	for len(lines) > 0 && strings.HasPrefix(lines[0], "#") {
		lines = lines[1:]
	}
	if lines[0] != "agent" && lines[0] != "client" {
		t.Fatalf("the script begins with %q, not with a side", lines[0])
	}
	p.conn, p.peer = newPair(t, newStage(), jsonrpc.Options{
		KeyMember:   "session",
		AnswerNoise: lines[0] == "agent",
		Diagnose:    func(d jsonrpc.Diagnostic) { p.diagnostics <- d },
	})
	var anyOrder []string
	for i, line := range lines[1:] {
		word, rest, _ := strings.Cut(line, " ")
		if word == "<*" {
			anyOrder = append(anyOrder, rest)
			continue
		}
		p.expectAll(anyOrder)
		anyOrder = nil
		if !p.play(word, rest) {
			t.Fatalf("line %d: unknown step %q", i+2, line)
		}
		if t.Failed() {
			t.Fatalf("in line %d: %s", i+2, line)
		}
	}
	p.expectAll(anyOrder)
}

func (p *player) play(word, rest string) bool {
	switch word {
	case "", "#":
	case ">":
		p.peer.send(rest)
	case ">x":
		text, err := hex.DecodeString(rest)
		if err != nil {
			p.t.Fatal(err)
		}
		p.peer.send(string(text))
	case "<":
		p.expectAll([]string{rest})
	case "<=":
		if got := p.peer.receive(); got != rest {
			p.t.Errorf("received %s, want exactly %s", got, rest)
		}
	case "!":
		select {
		case d := <-p.diagnostics:
			if d.Kind.String() != rest {
				p.t.Errorf("diagnostic %q, want %s", d, rest)
			}
		case <-time.After(patience):
			p.t.Errorf("no diagnostic, want %s", rest)
		}
	case "call":
		p.call(strings.SplitN(rest, " ", 3))
	case "answer", "failure":
		name, want, _ := strings.Cut(rest, " ")
		p.expectOutcome(word == "answer", want, p.calls[name])
	default:
		return false
	}
	return true
}

func (p *player) call(words []string) {
	done := make(chan outcome, 1)
	p.calls[words[0]] = done
	go func() {
		result, err := p.conn.CallRaw(context.Background(), words[1], jsontext.Value(words[2]))
		done <- outcome{result, err}
	}()
}

func (p *player) expectOutcome(success bool, want string, done chan outcome) {
	select {
	case got := <-done:
		switch {
		case success && (got.err != nil || !contains(got.result, jsontext.Value(want))):
			p.t.Errorf("result %s, error %v, want result %s", got.result, got.err, want)
		case !success && (got.err == nil || !strings.Contains(got.err.Error(), want)):
			p.t.Errorf("result %s, error %v, want an error that says %q", got.result, got.err, want)
		}
	case <-time.After(patience):
		p.t.Errorf("the call has not returned, want %s", want)
	}
}

// expectAll takes as many messages as are wanted and pairs them in any order.
func (p *player) expectAll(wants []string) {
	for range wants {
		got := p.peer.receive()
		found := false
		for i, want := range wants {
			if want != "" && contains(jsontext.Value(got), jsontext.Value(want)) {
				wants[i], found = "", true
				break
			}
		}
		if !found {
			p.t.Errorf("received %s, want one of %q", got, wants)
		}
	}
}

// contains reports whether got has everything that want has.
func contains(got, want jsontext.Value) bool {
	var g, w any
	if json.Unmarshal(got, &g) != nil || json.Unmarshal(want, &w) != nil {
		panic(fmt.Sprintf("not JSON: %s or %s", got, want))
	}
	return includes(g, w)
}

func includes(got, want any) bool {
	w, ok := want.(map[string]any)
	if !ok {
		return reflect.DeepEqual(got, want)
	}
	g, ok := got.(map[string]any)
	for name, value := range w {
		if inner, there := g[name]; !ok || !there || !includes(inner, value) {
			return false
		}
	}
	return ok
}
