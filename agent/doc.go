// Package agent builds an agent: a program that an editor, or any other client of the Agent Client Protocol, starts and
// talks to on its standard input and output.
//
//	┌─ client ─┐   session/prompt    ┌──────────── agent.Conn ────────────┐
//	│  editor  │ ──────────────────▶ │ Session ── Turn ──▶ your Prompt    │
//	│          │ ◀────────────────── │            Text, ToolCall, Plan, … │
//	└──────────┘   session/update    └────────────────────────────────────┘
//
// An agent can be a function:
//
//	func main() {
//		err := agent.Serve(context.Background(), agent.PromptFunc(prompt), agent.Options{
//			Info: acp.Implementation{Name: "echo", Version: "1.0.0"},
//		})
//		if err != nil {
//			log.Fatal(err)
//		}
//	}
//
//	func prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
//		return acp.StopReasonEndTurn, t.Text("You said: " + t.PromptText())
//	}
//
// One that does more is a type with more methods: it implements Agent, and those of the other interfaces that it has
// something to offer for. What the client is told about its capabilities follows from that; only what can't be seen,
// such as whether Prompt takes images, is an option. So an agent advertises what works (W11), and a claim without a
// method behind it is an error at start.
//
// # Turns
//
// A prompt starts a Turn, and Prompt runs it. A session has one at a time; a prompt that comes meanwhile is refused with
// CodeInvalidRequest. What the agent does is shown while it is done:
//
//	call, err := t.ToolCall(acp.ToolCall{Title: "Read main.go", Kind: acp.ToolKindRead})
//	if err != nil {
//		return "", err
//	}
//	text, err := t.ReadTextFile(ctx, "main.go", 0, 0)
//	if err != nil {
//		return "", call.Fail(err)
//	}
//	err = call.Complete(acp.ToolContent(acp.Text(text)))
//
// When the client cancels the turn, the context ends, questions to the user end with ErrCancelled, and terminals are
// killed and released. Nothing has to be done about it but to return: the client is told that the turn was cancelled
// whatever Prompt returns (T1, T4). Tool calls that are open when Prompt returns are failed with a reason, before the
// answer leaves (T2). A cancel counts for the turn that was accepted when it was read, and for no other (T3).
//
// An error of Prompt is an error to the client (T6): an *acp.Error as it is, any other as CodeInternalError with its
// text, a panic likewise (W9). So is a CallError, which is an error that came from the client.
//
// # Updates before the client knows the session
//
// What NewSession, ResumeSession and ForkSession send through their session leaves right after the answer that names
// it: at most 4,096 updates or 64 MiB, beyond which sending fails with ErrTooManyUpdates. What LoadSession sends is the
// replay of the history and leaves before the answer (W12).
//
// # Fallbacks
//
// An author sends what there is to say, and the client gets what it understands. Where it did not advertise that it
// understands an update, this leaves instead:
//
//	notice                        a message: "Warning: title", and the description
//	compaction_update             a message when it begins, and one that says how it ended
//	compaction_summary_chunk      nothing
//	plan_update                   the one plan; a plan in Markdown or in a file is its only entry
//	plan_removed                  an empty plan, if that one was shown
//	subagent_update               a tool call that runs as long as the child does; nothing if the author shows one (Child.Call)
//	session_message, …_chunk      nothing
//	boolean options               selects with the values "on" and "off"; what the client sets arrives as a boolean
//
// An elicitation in a mode that the client did not advertise is asked by session/request_permission, which every client
// has, where the answer is as good as the one that was wanted:
//
//	form    one question for each field that is a choice (a boolean, or a string with choices), 4 fields of 20 choices
//	        at most, each with "Decline"; the default comes first, and a field that is not required has "Skip". Fields of
//	        other kinds take their defaults, which the question shows, or are left out if they are not required
//	page    a message with the address, and a question with "Done" and "Decline"
//
// The answer is accept with the fields' values in their own types, decline, or cancel if the user gave none. A client that
// is set to allow everything unasked gives the first option: don't let what can't be undone hang on such an answer. After
// a page, accept means no more than always: see for yourself whether the user has done there what was to be done.
// elicitation/complete goes only to a client that takes pages.
//
// What needs an answer that no choice can give, a text without a default say, is an *acp.UnsupportedError, before
// anything is written (W11). Then say the question with Text and end the turn: the next prompt is the answer. Never do so
// for a password or any other secret, nor ask for one by a form: use a page, or fail. Elicitations outside of sessions
// (Conn.Elicit) have no fallback either, and neither have other requests.
//
// # Subagents
//
// A part of a turn's work that has a conversation of its own is a child session: Turn.NewChild makes one, and Session.Run does
// its work, which is a Turn like any other:
//
//	child := t.NewChild(agent.Child{Title: "Scout", Call: call})
//	stop, err := child.Run(ctx, task, func(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
//		return acp.StopReasonEndTurn, t.Text("nothing found")
//	})
//
// A client that understands child sessions gets the child's states and its whole stream, and can cancel it alone; any other
// gets neither. What the child asks for is asked in the name of the session that the client has opened, with the child's title
// where the user sees it, and the tool call that a permission is about is shown there until it ends (F51). The member
// "patchbay.dev/subagent" of _meta says which child it was. Children end with their parent's turn.
//
// # History
//
// With Options.KeepHistory, a session remembers its turns: Session.History returns them, for the next request to a model
// or for a store, Session.Restore takes them back, and Session.Replay sends them, which is all that LoadSession has to
// do. A turn that ended with acp.StopReasonRefusal leaves the history together with what followed from it.
//
// # Ends
//
// Closing a session, deleting or archiving it, and opening it once more end what it asks of its client outside of turns,
// with ErrSessionClosed. They cancel its turn, too, and wait for the turn's answer: for 10 s at most, if Prompt does not
// return. Turns whose terminals have to be taken away wait for the client to do it, 5 s at most, and not at all for
// terminals that it is still making. When the client goes away, turns are cancelled and handlers have Options.Grace to
// return; then Serve returns nil (F80).
//
// # Standard output
//
// Serve takes standard input and output away from everyone else: what the program prints goes to standard error. Connect
// serves any other stream, a transport.Pipe in tests for example.
package agent
