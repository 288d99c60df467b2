package acp_test

import (
	"errors"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// W11: what was not advertised is refused by an error that says what is missing, and on which side.
func TestW11_AClosedGateNamesTheCapability(t *testing.T) {
	tests := []struct {
		to     acp.Direction
		method string
		want   string
	}{
		{acp.ToAgent, "session/fork", "session/fork needs the capability agentCapabilities.sessionCapabilities.fork, which the agent did not advertise"},
		{acp.ToClient, "fs/read_text_file", "fs/read_text_file needs the capability clientCapabilities.fs.readTextFile, which the client did not advertise"},
	}
	for _, test := range tests {
		err := acp.RequestMethod(test.to, test.method).Check(nil, nil)
		var unsupported *acp.UnsupportedError
		if !errors.As(err, &unsupported) || !errors.Is(err, acp.ErrUnsupported) {
			t.Fatalf("%s: got %v, want an UnsupportedError", test.method, err)
		}
		if err.Error() != test.want {
			t.Errorf("got  %s\nwant %s", err, test.want)
		}
	}
	if err := (&acp.UnsupportedError{Method: "x", Capability: "y"}).Error(); err != "x needs the capability y, which the peer did not advertise" {
		t.Errorf("got %s", err)
	}
}

// W11: a gate that stands open lets the method pass, and so does a method without one.
func TestW11_AnOpenGateLetsPass(t *testing.T) {
	client := &acp.ClientCapabilities{FS: acp.FileSystemCapabilities{ReadTextFile: true}}
	if err := acp.RequestMethod(acp.ToClient, "fs/read_text_file").Check(nil, client); err != nil {
		t.Error(err)
	}
	if err := acp.RequestMethod(acp.ToAgent, "session/prompt").Check(nil, nil); err != nil {
		t.Error(err)
	}
}
