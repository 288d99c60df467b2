package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

var cancelRows = []row{
	{value: "cancelled", title: "ended as cancelled, per 500", more: true},
	{value: "lost", title: "cancels lost, all rounds", sum: true},
	{value: "touched", title: "next prompts cancelled, all rounds", sum: true},
}

// giveUp is how many lost cancels end the scenario early: each costs cancelLimit.
const giveUp = 10

// runCancel sends a prompt and its cancel in one write, then a prompt that must not notice. No client can be told to
// write so, hence it speaks to the stack's agent by itself: the JSON here is not what is measured.
func runCancel(j job) (values, error) {
	c, err := startRaw(j.Agent)
	if err != nil {
		return nil, err
	}
	defer c.close()
	if j.Stack == ours {
		if err := c.open(); err != nil {
			return nil, err
		}
	}
	const cancel = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s0000001"}}` + "\n"
	v := values{"lost": 0, "touched": 0}
	cancelled, tried := 0, 0
	for ; tried < j.Count && v["lost"] < giveUp; tried++ {
		stop, err := c.prompt("wait", cancel)
		if err != nil {
			return nil, err
		}
		if stop == "cancelled" {
			cancelled++
		} else {
			v["lost"]++
		}
		if stop, err = c.prompt("say 1 10", ""); err != nil {
			return nil, err
		}
		if stop != "end_turn" {
			v["touched"]++
		}
	}
	v["cancelled"] = float64(cancelled) * float64(j.Count) / float64(tried)
	return v, nil
}

// A rawClient writes lines and reads lines.
type rawClient struct {
	agent *subprocess
	out   *bufio.Reader
	id    int
}

func startRaw(argv []string) (*rawClient, error) {
	p, err := start(argv)
	if err != nil {
		return nil, err
	}
	return &rawClient{agent: p, out: bufio.NewReader(p.out)}, nil
}

// open does what an agent wants that knows only the sessions that it has made.
func (c *rawClient) open() error {
	_, err := io.WriteString(c.agent.in, `{"jsonrpc":"2.0","id":-2,"method":"initialize","params":{"protocolVersion":1}}`+"\n"+
		`{"jsonrpc":"2.0","id":-1,"method":"session/new","params":{"cwd":"/","mcpServers":[],"_meta":{"`+nameKey+`":"s0000001"}}}`+"\n")
	for range 2 {
		if err == nil {
			_, err = c.out.ReadBytes('\n')
		}
	}
	return err
}

// prompt writes a prompt and what follows it at once, and returns the stop reason.
func (c *rawClient) prompt(text, andThen string) (stopReason string, err error) {
	c.id++
	_, err = fmt.Fprintf(c.agent.in, `{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":`+
		`{"sessionId":"s0000001","prompt":[{"type":"text","text":%q}]}}`+"\n%s", c.id, text, andThen)
	if err != nil {
		return "", err
	}
	for {
		line, err := c.out.ReadBytes('\n')
		if err != nil {
			return "", err
		}
		var answer struct {
			ID     int
			Result struct{ StopReason string }
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return "", err
		}
		switch {
		case answer.ID != c.id: // an update
		case answer.Error != nil:
			return "error: " + answer.Error.Message, nil
		default:
			return answer.Result.StopReason, nil
		}
	}
}

func (c *rawClient) close() { c.agent.stop() }
