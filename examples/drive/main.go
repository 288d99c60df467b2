// Command drive drives an agent as a program of one's own would. Each line that it reads is a prompt; Ctrl-C cancels a turn. Try
//
//	echo "write a.txt: hi" | go run ./examples/drive -allow "Write(a.txt)" patchbay agent --model offline
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/transport"
)

func main() {
	d, files, load := driver{}, []string{}, flag.String("load", "", "the `id` of a session to go on with")
	flag.Func("mode", "default, acceptEdits, bypassPermissions or plan", func(text string) error { return d.policy.Mode.UnmarshalText([]byte(text)) })
	flag.Func("allow", "`patterns` that pass, with ; between them: 'Read;Bash(git *)'", func(text string) (err error) {
		d.policy.Allow, err = policy.ParseRules(strings.Split(text, ";")...)
		return err
	})
	flag.Func("attach", "a `file` for the first prompt", func(path string) (err error) { path, err = filepath.Abs(path); files = append(files, path); return err })
	flag.Parse()
	if err := d.drive(context.Background(), transport.Command{Path: flag.Arg(0), Args: flag.Args()[min(1, flag.NArg()):]}, acp.SessionID(*load), files); err != nil {
		log.Fatal(err)
	}
}

type driver struct{ policy policy.Policy }

func (d *driver) drive(ctx context.Context, command transport.Command, load acp.SessionID, files []string) error {
	c, err := client.Spawn(ctx, command, d, client.Options{Info: acp.Implementation{Name: "drive", Version: "1.0.0"}})
	if err != nil {
		return err
	}
	defer func() { _, _ = c.Close(), c.Wait() }()
	var s *client.Session
	if dir, _ := os.Getwd(); load == "" {
		s, err = c.NewSession(ctx, acp.NewSessionRequest{CWD: dir})
	} else {
		s, err = c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: load, CWD: dir})
	}
	if err != nil {
		return err
	}
	fmt.Printf("session %s, %d messages\n", s.ID(), s.State().Messages().Len())
	retry := client.Retry{Waiting: func(_ int, err error, pause time.Duration) { fmt.Printf("again in %v: %v\n", pause, err) }}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); files = nil {
		prompt := []acp.ContentBlock{acp.Text(lines.Text())}
		for _, path := range files {
			var block acp.ContentBlock = acp.Link(filepath.Base(path), "file://"+path)
			if data, err := os.ReadFile(path); err == nil && filepath.Ext(path) == ".png" && c.Capabilities().PromptCapabilities.Image {
				block = acp.Image("image/png", data)
			}
			prompt = append(prompt, block)
		}
		ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
		var result *client.Result
		err := retry.Do(ctx, func(ctx context.Context) (err error) { result, err = s.Run(ctx, prompt...); return err })
		if stop(); err != nil {
			fmt.Println("failed:", err)
			continue
		}
		fmt.Printf("(%s)\n", result.StopReason)
	}
	return c.Err()
}

// Update prints what happens. The session's State has put it together already.
func (d *driver) Update(_ context.Context, s *client.Session, u acp.SessionUpdate) {
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		if text, ok := u.Content.(*acp.TextContent); ok {
			fmt.Print(text.Text)
		}
	case *acp.ToolCallUpdate:
		fmt.Printf("[%s: %s]\n", s.State().ToolCall(u.ToolCallID).Title, s.State().ToolCall(u.ToolCallID).Status)
	case *acp.Plan:
		fmt.Printf("[plan: %d steps]\n", len(u.Entries))
	}
}

// RequestPermission decides without a user: what no pattern and no mode lets pass is rejected.
func (d *driver) RequestPermission(_ context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	call := policy.FromToolCall(policy.Place{Session: s.ID(), CWD: s.CWD(), Roots: s.Roots()}, req.ToolCall)
	if d.policy.Decide(call).Verdict == policy.Allow {
		return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
	}
	return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
}
