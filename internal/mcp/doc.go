// Package mcp runs the MCP servers of one session: the programs and web services of the Model Context Protocol whose tools and
// prompts an editor gives to an agent with session/new. It is on the official SDK, and knows nothing of the agent's loop.
//
//	servers := mcp.Start(ctx, request.MCPServers, mcp.Options{Dir: request.CWD, OnStatus: report, OnChange: offerTools})
//	defer servers.Close()
//	_ = servers.Wait(shortly) // until each is ready or has failed; what is later joins later
//
//	for _, tool := range servers.Tools() {
//		offer(tool.Name, tool.Description, tool.Schema) // mcp__github__create_issue, …
//	}
//	result, err := servers.Call(ctx, mcp.Call{Tool: name, Input: input})
//
// # Servers
//
// A [Set] belongs to a session and to nobody else. All its servers start at once, each within a deadline. One that fails
// is reported, with the last lines of its standard error, and the others go on. One that dies is started once more: calls
// under way fail, the next ones wait for its second life. Close leaves no process and no goroutine behind.
//
// What a server says is not trusted. Its names are made into names that models take, its schemas are repaired or refused,
// all sizes are bounded, and its hints about what a tool does are passed on as no more than that. What it prints on standard
// output that is no message is skipped. It is refused the model (sampling), told the session's roots, and its questions to the
// user are passed to [Options].Elicit.
//
// # Credentials
//
// The configuration brings credentials: variables, headers, URLs. They go to the server that they are for, never to another
// host, and whatever leaves this package is free of them, be it a result in which a server shows its environment.
//
// # Limits
//
// A message may have 16 MiB, a result Options.MaxText bytes of text and eight images of 3.75 MiB, a server 512 tools and as
// many prompts, and four open questions. What is cut says so.
package mcp
