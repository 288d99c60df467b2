// Package coder is the built-in coding agent, `patchbay agent`: a loop between a language model and tools, in the terms of
// package agent, which is its only way to the client.
//
//	c, err := coder.New(coder.Options{Version: "1.0.0"})
//	if err != nil {
//		return err
//	}
//	return agent.Serve(ctx, c, c.AgentOptions())
//
// A turn goes like this: the conversation and the tools go to the model; what it says goes to the client as it comes; each
// call that it makes is shown as a tool call, is decided about by package policy, asks the user if that says so, and is run;
// the results go back to the model; and so on until the model has no more calls.
//
//   - A tool that fails is a failed tool call, and the model is told why. The turn goes on.
//   - A permission that the user rejects is the same. "Always" counts for what the question shows and that session (F59), and
//     "/permissions" lists and revokes it. A permission that is cancelled ends the turn.
//   - A provider that fails ends the turn with an error (T6, F168), never with an empty answer.
//
// The MCP servers that a client sends with a session belong to it: their tools are beside the agent's own, and decided about
// like them; their prompts are commands, and their questions go to the user. Package internal/mcp runs them.
//
// A session is in a mode, which says what tools there are: see mode.go.
//
// Files are read and written, and commands run, by the client where it offers that (F158), and by this process where not.
// Either way they stay within the session's roots.
package coder
