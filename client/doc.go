// Package client builds a client of the Agent Client Protocol: a program that starts a coding agent, gives it work,
// shows what it does and decides what it may do.
//
// Two methods make a [Handler], and everything else is optional:
//
//	type user struct{}
//
//	func (user) Update(ctx context.Context, s *client.Session, u acp.SessionUpdate) {}
//
//	func (user) RequestPermission(ctx context.Context, s *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
//		return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
//	}
//
// With it, a turn is ten lines:
//
//	c, err := client.Spawn(ctx, transport.Command{Path: "some-agent"}, user{}, client.Options{})
//	if err != nil {
//		return err // says what the agent wrote instead of an answer, and how it ended
//	}
//	defer c.Wait() // nothing of the agent is left afterwards
//	defer c.Close()
//	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/home/me/project"})
//	turn, err := s.Prompt(ctx, acp.Text("What does this project do?"))
//	for u := range turn.Updates() {
//		fmt.Printf("%T\n", u) // *acp.AgentMessageChunk, *acp.ToolCall and so on
//	}
//	result, err := turn.Wait() // result.StopReason, result.Usage
//
// # Who sees what
//
//	             ┌─▶ State                what all updates together say
//	update ──────┼─▶ loops over Updates   of the session, or of a turn
//	             └─▶ Handler.Update       one after the other, in order
//
// Updates of a session are handled in the order in which they arrived. When [Turn.Wait] returns, all updates of the turn
// have been seen (W5). The [State] is there without anybody's doing. A loop may be slow, and loses nothing: what it has
// not taken waits within [Options.Budget], and then holds up its session and in the end the connection. Who does not
// loop holds up nothing, and who only wants the Handler can call [Session.Run] and spare what a turn keeps for loops.
//
// # What the client can do
//
// The agent may read and write files, run commands or ask the user for input if the Handler implements the interface for
// it ([FileReader], [TerminalHandler], [FormElicitor] and so on), or if Options names [Files] and [Terminals], which serve
// this computer's. What is advertised follows from that, and what the agent did not advertise is an
// [acp.UnsupportedError] before a byte is written (W11).
//
// # How things end
//
// A turn has no deadline but [Options.IdleTimeout]. Cancelling it, or the context of its prompt, tells the agent, answers
// what it has asked, and waits for [Options.CancelGrace] at most (T4, W7). When the agent dies, everything that waits for
// it fails with an error that has the exit status and the last words (W8). [Client.Close] ends everything at once, and
// [Client.Wait] waits until nothing is left.
//
// [RecoveryOf] says what helps against an error, [Retry] tries again what passes by itself, and a [Supervisor] starts an agent
// that has ended once more and opens its sessions there.
package client
