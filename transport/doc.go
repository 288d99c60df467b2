// Package transport has the framed connections that a jsonrpc.Conn runs on: standard input and output, subprocesses, any
// pair of byte streams, and pipes in memory.
//
// An agent owns its standard input and output, and nothing else that prints or reads in its process does (see Stdio):
//
//	stream, err := transport.Stdio()
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer stream.Close()
//
// A client starts an agent and talks to it, and takes everything with it that the agent has started (see Start):
//
//	agent, err := transport.Start(ctx, transport.Command{Path: "gemini", Args: []string{"--acp"}})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer agent.Wait(context.Background())
//	defer agent.Close()
//
// Tests, and agents in the client's own process, take the two ends of a Pipe. Whatever else carries bytes, a TCP or TLS
// connection or the two pipes of someone else's process, is framed by New.
//
// # Messages
//
// A message is a line, or a body after a Content-Length header; both are read, in any mixture, and the first message of
// the peer decides which one is written (W1):
//
//	{"jsonrpc":"2.0","id":1,"method":"initialize"}⏎
//
//	Content-Length: 46⏎
//	⏎
//	{"jsonrpc":"2.0","id":1,"method":"initialize"}
//
// Lines end at the byte 0x0A and nowhere else. They have no greatest length but the limit that a Conn gives, and the rest
// of a longer one is skipped (W2). What is no message, such as the banner of an agent, is handed over as well: a stream
// knows where text ends, and the Conn knows what it is worth (W3).
//
// # Ends
//
// The end of input, and the death of a process, come after everything that arrived before (W8). A process that has died
// says how, and what it last wrote to standard error:
//
//	var exit *transport.ExitError
//	if errors.As(err, &exit) {
//		fmt.Println(exit.ExitCode(), exit.Stderr)
//	}
//
// Close is immediate on every stream, and safe inside a handler. Read, Write and TryWrite return io.ErrClosedPipe then.
//
// # Systems
//
// Everything works on Linux, macOS, the other Unixes and Windows, with these gaps. Descendants of a process that have
// left its process group are only found on Linux; Windows has jobs, which can't be left. Windows has no SIGTERM, so there
// a process that does not end with its input is killed. And TryWrite never writes on Windows, but leaves it to Write.
package transport
