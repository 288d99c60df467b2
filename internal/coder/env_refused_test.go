package coder_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// What the client doesn't let the agent write stays as it is, on the disk too, and the model is told why. The session does
// not believe that it has written it.
func TestClientsThatRefuseToWrite(t *testing.T) {
	files := map[string]string{"DIR/a.txt": "one\n"}
	c := editor(files)
	write := c.handle[acp.MethodFSWriteTextFile]
	c.handle[acp.MethodFSWriteTextFile] = func([]byte) (any, error) { return nil, acp.ErrInvalidParams("a.txt is not yours") }
	begin(t, c, "a.txt", "one\n")
	got := c.script(c.turn("read a.txt then replace one with 1 in a.txt", acp.StopReasonEndTurn))
	if !strings.Contains(got, "writing a.txt: ") || !strings.Contains(got, "a.txt is not yours") || files["DIR/a.txt"] != "one\n" || c.file("a.txt") != "one\n" {
		t.Errorf("a.txt is %q and %q, and\n%s", files["DIR/a.txt"], c.file("a.txt"), got)
	}
	c.handle[acp.MethodFSWriteTextFile] = write
	c.turn("replace one with 1 in a.txt", acp.StopReasonEndTurn)
	if files["DIR/a.txt"] != "1\n" {
		t.Errorf("a.txt is %q", files["DIR/a.txt"])
	}
}

// What the client doesn't let the agent read is not read behind its back.
func TestClientsThatRefuseToRead(t *testing.T) {
	c := editor(nil)
	c.handle[acp.MethodFSReadTextFile] = func([]byte) (any, error) { return nil, acp.ErrInvalidParams("secret.txt is not yours") }
	begin(t, c, "secret.txt", "word\n")
	got := c.turn("read secret.txt then replace word with x in secret.txt then write secret.txt: x", acp.StopReasonEndTurn)
	if text := c.script(got) + saidText(got); strings.Count(text, "secret.txt is not yours") < 3 || strings.Contains(text, "[secret.txt has") {
		t.Errorf("got\n%s", text)
	}
	if c.file("secret.txt") != "word\n" {
		t.Errorf("it was written: %q", c.file("secret.txt"))
	}
}

// F156: a text that a client has too much of, and what is not text, are refused as they are without a client.
func TestClientTextsThatAreNoUse(t *testing.T) {
	large := strings.Repeat("old\n", 17<<18)
	files := map[string]string{"DIR/large": large, "DIR/binary": "old\x00\n"}
	c := begin(t, editor(files))
	for name, want := range map[string]string{
		"large":  "the file has 17.0 MiB, which is too much for a tool",
		"binary": "it is binary, and only text can be used",
	} {
		got := c.script(c.turn("read "+name+" then replace old with new in "+name+" then write "+name+": new", acp.StopReasonEndTurn))
		if strings.Count(got, want) < 3 {
			t.Errorf("%s: got\n%s", name, got)
		}
	}
	if files["DIR/large"] != large || files["DIR/binary"] != "old\x00\n" {
		t.Error("it was written")
	}
}

// A client is not asked for what is no file: it might wait for ever.
func TestClientsAreNotAskedForFolders(t *testing.T) {
	c := begin(t, editor(map[string]string{"DIR/sub": "old"}))
	if err := os.Mkdir(filepath.Join(c.dir, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	got := c.script(c.turn("replace old with new in sub then write sub: new", acp.StopReasonEndTurn))
	if strings.Count(got, "sub is a folder, not a regular file") != 2 || len(c.calls) > 0 {
		t.Errorf("calls %v, and\n%s", c.calls, got)
	}
}

// F54: a client that doesn't answer when it is asked for a file fails the call after a minute, and not the turn.
func TestF54_AClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := editor(nil)
		over := make(chan struct{})
		c.handle[acp.MethodFSReadTextFile] = func([]byte) (any, error) {
			<-over
			return nil, acp.ErrInternal("too late")
		}
		began := time.Now()
		begin(t, c, "a.txt", "word\n")
		t.Cleanup(func() { close(over) })
		got := c.script(c.turn("read a.txt then list", acp.StopReasonEndTurn))
		if !strings.Contains(got, "[reading a.txt: the client has not read it within 1m0s]") || !strings.Contains(got, "List") {
			t.Errorf("got\n%s", got)
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}

// F16: an image as large as any that is read reaches the client in one message.
func TestF16_ALargeImage(t *testing.T) {
	image := "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\xff", 3_900_000/2)
	c := begin(t, &client{}, "shot.png", image)
	want := base64.StdEncoding.EncodeToString([]byte(image))
	for _, u := range c.turn("read shot.png", acp.StopReasonEndTurn) {
		update, ok := u.(*acp.ToolCallUpdate)
		if !ok {
			continue
		}
		for _, each := range update.Content.Or(nil) {
			if content, ok := each.(*acp.Content); ok {
				if shown, ok := content.Content.(*acp.ImageContent); ok && shown.Data == want && shown.MIMEType == "image/png" {
					return
				}
			}
		}
	}
	t.Error("no image came")
}
