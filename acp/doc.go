// Package acp is the vocabulary of the Agent Client Protocol, version 1: the messages that a client (an editor, a
// terminal, a CI job) and a coding agent send each other, as Go types, and one table of all methods. It is data only.
// Packages agent and client are what to build with; they speak in the types of this one.
//
// What an agent sends while it works arrives as a SessionNotification. A client looks at what kind of update it is:
//
//	var n acp.SessionNotification
//	if err := json.Unmarshal(params, &n); err != nil {
//		return err
//	}
//	switch u := n.Update.(type) {
//	case *acp.AgentMessageChunk:
//		if text, ok := u.Content.(*acp.TextContent); ok {
//			fmt.Print(text.Text)
//		}
//	case *acp.ToolCall:
//		fmt.Println("tool:", u.Title)
//	}
//
// In the other direction, a prompt is a list of content blocks:
//
//	acp.PromptRequest{SessionID: id, Prompt: []acp.ContentBlock{
//		acp.Text("What does this file do?"),
//		acp.Link("main.go", "file:///home/me/main.go"),
//	}}
//
// # The types
//
// Each object of the protocol is a struct, under the protocol's own name with Go's spelling: SessionID, MCPServerStdio.
//
// A member that must be there is a plain field and is always written. A member that may be absent is a plain field too
// where its zero value means absence: an empty string, a nil slice, map or pointer, false where false is the default.
// Numbers, and booleans without a default, are pointers. Where the protocol tells absence from null, in patches such as
// ToolCallUpdate, the field is an Optional:
//
//	acp.ToolCallUpdate{ToolCallID: id, Status: acp.Some(acp.ToolCallStatusCompleted)}
//
// Where the protocol allows one of several objects, such as a ContentBlock or a SessionUpdate, there is an interface
// that only this package implements, by pointers to structs. One of them, whose name begins with Unknown as a rule,
// keeps the text of what this package does not know, so that a switch needs a default and a proxy loses nothing.
//
// An enumeration is a string type with constants. Any string is read and kept; Known tells those of the protocol.
//
// Every object can carry more than its type says: Meta is the member _meta, which belongs to whoever wrote it, and
// Unknown keeps all members that have no field. Both survive reading and writing.
//
// All types work with encoding/json and with github.com/go-json-experiment/json. Reading is strict about members that
// must be there and lenient where the specification says so: an optional value that does not fit is dropped. Decode
// reads as they do and also says what was dropped.
//
// # The methods
//
// Methods lists what can be sent: in which direction, with which params and result, and which capability it needs.
// RequestMethod and NotificationMethod look one up. SessionKey says which session a message belongs to.
//
// # Unstable parts
//
// The protocol's unstable schema is part of the package. What comes from there has a line that begins with "Unstable:"
// in its comment, may change with the specification, and is not covered by any promise of compatibility.
package acp
