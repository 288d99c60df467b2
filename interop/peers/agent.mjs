// An agent written on the TypeScript SDK, for tests of clients. The first word of a prompt says what
// it does (see acts.mjs), the rest is the argument. It keeps no files: sessions live in its memory.
//
// SIGN_IN=1 in the environment: session/new is refused with -32000 until `authenticate` has come.

import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { acts, Turn, words } from "./acts.mjs";

const sessions = new Map();
const modes = [{ id: "ask", name: "Ask" }, { id: "https://example.com/modes#auto", name: "Auto" }];
let lastID = 0;
let signedIn = !process.env.SIGN_IN;
let hello; // the params of initialize

class Session {
  id = `js-${++lastID}`;
  mode = "ask";
  model = "small";
  history = []; // updates, as load sends them again

  constructor(cwd) {
    this.cwd = cwd;
    sessions.set(this.id, this);
  }

  get config() {
    const options = ["small", "large"].map((value) => ({ value, name: value }));
    return [{ type: "select", id: "model", name: "Model", currentValue: this.model, options }];
  }

  get opening() {
    return { modes: { currentModeId: this.mode, availableModes: modes }, configOptions: this.config };
  }
}

function find({ sessionId }) {
  const session = sessions.get(sessionId);
  if (!session) throw acp.RequestError.sessionNotFound(sessionId);
  return session;
}

async function prompt({ params, client: peer }) {
  const session = find(params);
  for (const content of params.prompt) session.history.push({ sessionUpdate: "user_message_chunk", content });
  const [name, rest] = words(params.prompt.find((b) => b.type === "text").text);
  if (!acts[name]) throw acp.RequestError.invalidParams({ acts: Object.keys(acts) });
  const turn = (session.turn = new Turn(session, peer, params.prompt, hello));
  try {
    const more = await acts[name](turn, rest);
    return { stopReason: turn.aborter.signal.aborted ? "cancelled" : "end_turn", ...more };
  } catch (error) {
    if (!turn.aborter.signal.aborted) throw error;
    await turn.update({ sessionUpdate: "usage_update", used: 1, size: 100 }); // after the cancel, as many do
    return { stopReason: "cancelled" };
  }
}

async function replay(session, peer) {
  for (const update of session.history) await peer.notify("session/update", { sessionId: session.id, update });
  return session.opening;
}

acp.agent({ name: "peer" })
  .onRequest("initialize", ({ params }) => {
    hello = params;
    return {
      protocolVersion: acp.PROTOCOL_VERSION,
      agentInfo: { name: "peer", title: "A peer", version: "1.2.3" },
      authMethods: [{ id: "password", name: "Password", description: null }],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
      },
    };
  })
  .onRequest("authenticate", ({ params }) => {
    if (params.methodId !== "password") throw acp.RequestError.invalidParams({ methodId: params.methodId });
    signedIn = true;
  })
  .onRequest("session/new", async ({ params, client: peer }) => {
    if (!signedIn) throw acp.RequestError.authRequired();
    const session = new Session(params.cwd);
    const commands = { sessionUpdate: "available_commands_update", availableCommands: [] };
    await peer.notify("session/update", { sessionId: session.id, update: commands }); // before the answer, as a real agent does
    return { sessionId: session.id, ...session.opening };
  })
  .onRequest("session/load", ({ params, client: peer }) => replay(find(params), peer))
  .onRequest("session/resume", ({ params }) => find(params).opening)
  .onRequest("session/fork", ({ params }) => ({ sessionId: new Session(find(params).cwd).id }))
  .onRequest("session/list", () => ({
    sessions: [...sessions.values()].map((s) => ({ sessionId: s.id, cwd: s.cwd, title: null })),
    nextCursor: null,
  }))
  .onRequest("session/close", ({ params }) => find(params).turn?.aborter.abort())
  .onRequest("session/delete", ({ params }) => void sessions.delete(params.sessionId))
  .onRequest("session/set_mode", ({ params }) => void (find(params).mode = params.modeId))
  .onRequest("session/set_config_option", ({ params }) => {
    const session = find(params);
    session.model = params.value;
    return { configOptions: session.config };
  })
  .onRequest("session/prompt", prompt)
  .onNotification("session/cancel", ({ params }) => find(params).turn?.aborter.abort())
  .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
