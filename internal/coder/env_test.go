package coder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

// An editor is a client with files of its own, which are not those of the disk.
func editor(files map[string]string) *client {
	var mu sync.Mutex
	c := &client{permit: answers(acp.PermissionOptionKindAllowOnce)}
	c.can.FS = acp.FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodFSReadTextFile: func(params []byte) (any, error) {
			var req acp.ReadTextFileRequest
			if err := json.Unmarshal(params, &req); err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			text, ok := files[c.short(req.Path)]
			if !ok {
				return nil, acp.ErrInternal("ENOENT, as some editors say")
			}
			return &acp.ReadTextFileResponse{Content: text}, nil
		},
		acp.MethodFSWriteTextFile: func(params []byte) (any, error) {
			var req acp.WriteTextFileRequest
			if err := json.Unmarshal(params, &req); err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			files[c.short(req.Path)] = req.Content
			return &acp.WriteTextFileResponse{}, nil
		},
	}
	return c
}

// F158: files are read and written through the client where it serves them, so that what the user has not saved counts.
// Paths are absolute. The disk is untouched.
func TestF158_ClientFilesAreUsed(t *testing.T) {
	files := map[string]string{"DIR/a.txt": "not saved\n"}
	c := begin(t, editor(files), "a.txt", "saved\n")
	got := c.turn("read a.txt then replace not with now in a.txt then write b.txt: new", acp.StopReasonEndTurn)
	c.wantScript(got, `
Read a.txt | read read pending DIR/a.txt
  in_progress
  completed [a.txt has 1 line]
Edit a.txt | edit edit pending DIR/a.txt
  [DIR/a.txt: "not saved\n" to "now saved\n"]
  in_progress
  completed at DIR/a.txt:1
Write b.txt | write edit pending DIR/b.txt
  [DIR/b.txt: new "new"]
  in_progress
  completed at DIR/b.txt
`)
	want := map[string]string{"DIR/a.txt": "now saved\n", "DIR/b.txt": "new"}
	if diff := cmp.Diff(want, files); diff != "" {
		t.Errorf("the client's files (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "b.txt")); err == nil || c.file("a.txt") != "saved\n" {
		t.Error("the disk was written")
	}
}

// F152: a file that is not UTF-8 is one that no client can serve without harm, whether it says so or not. It is read and
// written on the disk, byte for byte.
func TestF152_ClientsDoNotGetOtherEncodings(t *testing.T) {
	files := map[string]string{"DIR/a.txt": "caf\uFFFD noir\n"}
	c := begin(t, editor(files), "a.txt", "caf\xe9 noir\n", "b.txt", "na\xefve noir\n")
	c.turn("read a.txt then replace noir with blanc in a.txt then replace noir with blanc in b.txt", acp.StopReasonEndTurn)
	if a, b := c.file("a.txt"), c.file("b.txt"); a != "caf\xe9 blanc\n" || b != "na\xefve blanc\n" {
		t.Errorf("a.txt is %q, b.txt is %q", a, b)
	}
	if diff := cmp.Diff(map[string]string{"DIR/a.txt": "caf\uFFFD noir\n"}, files); diff != "" {
		t.Errorf("the client's files (-want +got):\n%s", diff)
	}
}

// A text that the client has changed since it was read is not written over.
func TestClientFilesThatHaveChanged(t *testing.T) {
	files := map[string]string{"DIR/a.txt": "one\n"}
	c := begin(t, editor(files))
	c.turn("read a.txt", acp.StopReasonEndTurn)
	c.turn("write a.txt: two", acp.StopReasonEndTurn)
	files["DIR/a.txt"] = "typed meanwhile\n"
	got := c.script(c.turn("write a.txt: three then replace e with E in a.txt", acp.StopReasonEndTurn))
	if strings.Count(got, "a.txt has changed since it was read") != 2 || files["DIR/a.txt"] != "typed meanwhile\n" {
		t.Errorf("a.txt is %q, and\n%s", files["DIR/a.txt"], got)
	}
}

// What is outside the roots is not even asked of the client (S001.19).
func TestClientFilesStayInside(t *testing.T) {
	c := begin(t, editor(map[string]string{}))
	got := c.script(c.turn("read /etc/passwd then write /tmp/x: y", acp.StopReasonEndTurn))
	if strings.Count(got, "outside the root") != 2 || len(c.calls) > 0 {
		t.Errorf("calls %v, and\n%s", c.calls, got)
	}
}

// A client that says it serves files and then fails is believed: its error fails the call.
func TestClientFileErrors(t *testing.T) {
	c := begin(t, editor(map[string]string{}), "a.txt", "on the disk\n")
	got := c.script(c.turn("read a.txt then read b.txt", acp.StopReasonEndTurn))
	if !strings.Contains(got, "ENOENT, as some editors say") || !strings.Contains(got, "[reading b.txt: there is no such file or folder]") {
		t.Errorf("got\n%s", got)
	}
}

// terminals makes a client with terminals whose commands say this and end so.
func terminals(c *client, exit acp.WaitForTerminalExitResponse, output string) *client {
	c.can.Terminal = true
	c.permit = answers(acp.PermissionOptionKindAllowOnce)
	c.handle = map[string]func([]byte) (any, error){
		acp.MethodTerminalCreate: func(params []byte) (any, error) {
			var req acp.CreateTerminalRequest
			if err := json.Unmarshal(params, &req); err != nil {
				return nil, err
			}
			if req.CWD != c.dir || req.OutputByteLimit == nil || len(req.Args) == 0 || req.Args[len(req.Args)-1] != "make test" {
				return nil, acp.ErrInvalidParams("unexpected %s", params)
			}
			return &acp.CreateTerminalResponse{TerminalID: "term_1"}, nil
		},
		acp.MethodTerminalWaitForExit: func([]byte) (any, error) { return &exit, nil },
		acp.MethodTerminalOutput: func([]byte) (any, error) {
			return &acp.TerminalOutputResponse{Output: output}, nil
		},
		acp.MethodTerminalKill:    func([]byte) (any, error) { return &acp.KillTerminalResponse{}, nil },
		acp.MethodTerminalRelease: func([]byte) (any, error) { return &acp.ReleaseTerminalResponse{}, nil },
	}
	return c
}

// F158: commands run in the client's terminal where it has any. It is shown in the call before it is released, and its
// output reaches the model.
func TestF158_ClientTerminalIsUsed(t *testing.T) {
	zero, two := uint32(0), uint32(2)
	for _, c := range []struct {
		exit        acp.WaitForTerminalExitResponse
		end, answer string
	}{
		{acp.WaitForTerminalExitResponse{ExitCode: &zero}, "completed", "The command ended with status 0"},
		{acp.WaitForTerminalExitResponse{ExitCode: &two}, "failed [terminal term_1] [The command ended with status 2]",
			"`run` was not done: The command ended with status 2"},
		{acp.WaitForTerminalExitResponse{Signal: "SIGKILL"}, "failed [terminal term_1] [The command was ended by SIGKILL]",
			"The command was ended by SIGKILL"},
	} {
		client := begin(t, terminals(&client{}, c.exit, "all is well\n"))
		got := client.turn("run make test", acp.StopReasonEndTurn)
		client.wantScript(got, "\nRun `make test` | shell execute pending\n  in_progress\n  [terminal term_1]\n  "+c.end+"\n")
		if said := saidText(got); !strings.Contains(said, c.answer) || !strings.Contains(said, "all is well") {
			t.Errorf("it says:\n%s", said)
		}
		want := []string{acp.MethodTerminalCreate, acp.MethodTerminalWaitForExit, acp.MethodTerminalOutput, acp.MethodTerminalRelease}
		if diff := cmp.Diff(want, client.calls); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	}
}

// inTerminal is the update that shows a terminal in a call.
func inTerminal(u acp.SessionUpdate) bool {
	update, ok := u.(*acp.ToolCallUpdate)
	if !ok || len(update.Content.Or(nil)) == 0 {
		return false
	}
	_, ok = update.Content.Or(nil)[0].(*acp.Terminal)
	return ok
}

// S000.6, T4: cancelling ends a command, in the client's terminal or here, and the call fails (T2). The session goes on.
func TestCancelEndsACommand(t *testing.T) {
	running := func(u acp.SessionUpdate) bool {
		update, ok := u.(*acp.ToolCallUpdate)
		return ok && update.Status.Or("") == acp.ToolCallStatusInProgress
	}
	t.Run("terminal", func(t *testing.T) {
		c := terminals(&client{}, acp.WaitForTerminalExitResponse{}, "")
		killed := make(chan struct{})
		c.handle[acp.MethodTerminalWaitForExit] = func([]byte) (any, error) {
			<-killed
			return &acp.WaitForTerminalExitResponse{Signal: "SIGTERM"}, nil
		}
		kill := sync.OnceFunc(func() { close(killed) })
		c.handle[acp.MethodTerminalKill] = func([]byte) (any, error) { kill(); return &acp.KillTerminalResponse{}, nil }
		c.handle[acp.MethodTerminalRelease] = func([]byte) (any, error) { kill(); return &acp.ReleaseTerminalResponse{}, nil }
		begin(t, c)
		c.forget()
		go func() {
			c.await(inTerminal)
			c.cancel()
		}()
		got := c.script(c.turn("run make test", acp.StopReasonCancelled))
		if !strings.Contains(got, "\n  failed") {
			t.Errorf("got\n%s", got)
		}
		<-killed
	})
	t.Run("here", func(t *testing.T) {
		c := begin(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)})
		c.forget()
		go func() {
			c.await(running)
			c.cancel()
		}()
		got := c.script(c.turn("run sleep 100 then list", acp.StopReasonCancelled))
		if !strings.Contains(got, "\n  failed") || strings.Contains(got, "List") {
			t.Errorf("got\n%s", got)
		}
		c.turn("list", acp.StopReasonEndTurn)
	})
}

// A cancel while the user is asked ends the turn too, whatever the client answers then (S002.10).
func TestCancelWhileAsking(t *testing.T) {
	c := begin(t, &client{})
	c.permit = func(ctx context.Context, _ *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		c.cancel()
		<-ctx.Done()
		return acp.PermissionCancelled()
	}
	got := c.script(c.turn("write a.txt: b then list", acp.StopReasonCancelled))
	if !strings.Contains(got, "\n  failed") || strings.Contains(got, "List") {
		t.Errorf("got\n%s", got)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "a.txt")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a.txt: %v", err)
	}
}
