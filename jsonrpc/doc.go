// Package jsonrpc is JSON-RPC 2.0 between two equal peers over any stream of messages, made for connections that must
// not lose a message, hang or fall over, whatever the other side does.
//
//	                ┌────────────── Conn ──────────────┐
//	peer ── Stream ─┤ reader ─▶ Translator ─▶ queues ──┼─▶ Handler
//	                │ writer ◀─ Translator ◀───────────┼── Call, Notify, answers
//	                └──────────────────────────────────┘
//
// A [Stream] (see package transport) carries whole messages. A [Conn] runs on it and does both directions: it calls the
// peer's methods, and its [Handler] answers the peer's calls.
//
//	conn := jsonrpc.NewConn(stream, jsonrpc.HandlerFunc(
//		func(ctx context.Context, req *jsonrpc.Request) (any, error) {
//			switch req.Method {
//			case "add":
//				var params struct{ A, B int } // the names of members count to the letter
//				if err := req.Decode(&params); err != nil {
//					return nil, err
//				}
//				return params.A + params.B, nil
//			}
//			return nil, jsonrpc.ErrMethodNotFound
//		}), jsonrpc.Options{})
//	defer conn.Close()
//
//	var sum int
//	err := conn.Call(ctx, "add", map[string]int{"A": 1, "B": 2}, &sum)
//
// # Order
//
// Messages belong to sessions, as Options.Key says. Within a session, notifications are handled one after the other in
// the order they arrived; a request starts after the earlier ones and then runs beside later ones; and a call's answer
// is delivered after the notifications that came before it. Sessions don't wait for each other. Answers and cancels are
// acted on as soon as they are read, however much is waiting.
//
// # Limits
//
// A message may have up to 64 MiB, arriving or leaving (Options.MaxMessageBytes). A larger one from the peer is skipped
// and answered, or fails the call that waits for it; the connection lives. Messages that wait to be handled have a
// budget of 64 MiB (Options.Budget); while it is spent the connection stops reading, unless a handler waits for the
// peer. Nothing is ever dropped, and no overflow ends a connection.
//
// # Ends
//
// A call returns when its context ends, at once, even if the peer reads nothing. When the peer closes its side or dies,
// calls fail with a [ClosedError] that says why, after what had arrived before has been handled. [Conn.Close] ends
// everything at once. There are no other time limits.
//
// # What a peer may send
//
// Anything. What is not JSON-RPC is reported to Options.Diagnose and, on the side that sets Options.AnswerNoise,
// answered; the connection goes on. Strings may hold bytes that are not UTF-8, objects may repeat names, and the order
// of members means nothing.
package jsonrpc
