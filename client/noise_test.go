package client_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A line of a log is no answer, whatever of an answer it has, and also if its id is that of a call that waits.
func TestW3_ALogLineWithTheIDOfACallIsNotItsAnswer(t *testing.T) {
	for line, reported := range map[string]int32{
		`{"id":%s,"level":"info","msg":"started"}`:                                                    1,
		`{"id":%s,"error":"disk full"}`:                                                               1,
		`{"id":%s,"error":{"code":28,"message":"disk full"},"level":"error"}`:                         1,
		`{"id":%s,"result":"ok","level":"debug"}`:                                                     1,
		`{"jsonrpc":"2.0","id":%s,"level":"info","msg":"started"}`:                                    1,
		`{"jsonrpc":"2.0","id":%s,"error":"disk full","level":"error"}`:                               1,
		`{"jsonrpc":"1.0","id":%s,"result":{"stopReason":"refusal"}}`:                                 1,
		`{"time":"12:00","answer":{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"refusal"}}}`:       1,
		`[{"id":%s,"error":"disk full"}]`:                                                             1,
		`{"jsonrpc":"2.0","id":%s,"method":"log","params":{"level":"info"}}` /* a request, if any */ : 0,
	} {
		t.Run(line, func(t *testing.T) {
			var diagnostics atomic.Int32
			c, a := connect(t, &user{}, client.Options{Diagnose: func(jsonrpc.Diagnostic) { diagnostics.Add(1) }}, noCapabilities)
			s := open(t, c, a)
			turn, p := prompt(t, s, a)
			a.send(fmt.Sprintf(line, p.ID), says("s", "done"), outcome(p, `{"stopReason":"end_turn"}`))
			ends(t, turn, acp.StopReasonEndTurn)
			if got := diagnostics.Load(); got != reported {
				t.Errorf("%d diagnostics, want %d", got, reported)
			}
		})
	}
}
