package acp

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is in every error about something that the peer did not advertise, so that nothing was written (W11).
var ErrUnsupported = errors.New("not supported by the peer")

// An UnsupportedError says that a method, or what was to be sent with it, needs a capability that the peer did not
// advertise. It was refused on this side, before a byte was written (W11). It matches ErrUnsupported.
type UnsupportedError struct {
	// Method is the method that was not called.
	Method string

	// Capability is where the capability would stand in the initialize messages, such as
	// "clientCapabilities.fs.readTextFile".
	Capability string
}

// Error names the method, the capability and the side that lacks it.
func (e *UnsupportedError) Error() string {
	side := "peer"
	switch {
	case strings.HasPrefix(e.Capability, "agentCapabilities."):
		side = "agent"
	case strings.HasPrefix(e.Capability, "clientCapabilities."):
		side = "client"
	}
	return fmt.Sprintf("%s needs the capability %s, which the %s did not advertise", e.Method, e.Capability, side)
}

// Unwrap returns ErrUnsupported.
func (e *UnsupportedError) Unwrap() error { return ErrUnsupported }

// Check returns an *UnsupportedError if the message may not be sent, given what the two sides advertised (W11), and nil
// if it may. Nil capabilities advertise nothing.
func (m *Method) Check(agent *AgentCapabilities, client *ClientCapabilities) error {
	if m.Advertised(agent, client) {
		return nil
	}
	return &UnsupportedError{Method: m.Name, Capability: m.Gate.Path}
}
