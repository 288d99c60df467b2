// A client on a connection, to an agent in a subprocess or in this process.
import { spawn } from "node:child_process";
import { Readable, Writable } from "node:stream";
import { makeAgent } from "./agent-app.mjs";
import { acp, sessionName, streamOptions } from "./sdk.mjs";

// The session in which agents are asked for their stats.
const statsSession = sessionName(9_999_999);

function connect(stream, onUpdate) {
  let told;
  const { agent } = acp
    .client({ name: "bench" })
    .onNotification(acp.methods.client.session.update, ({ params }) => {
      const { sessionId, update } = params;
      if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
      if (sessionId === statsSession) told?.(JSON.parse(update.content.text));
      else onUpdate(sessionId, update.content.text);
    })
    .connect(stream);
  const prompt = async (sessionId, text) => {
    const answer = await agent.request(acp.methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    return answer.stopReason;
  };
  return {
    prompt,
    setMode: (sessionId) =>
      agent.request(acp.methods.agent.session.setMode, { sessionId, modeId: "code" }),
    stats: async () => {
      const stats = new Promise((resolve) => (told = resolve));
      await prompt(statsSession, "stats");
      return await stats;
    },
  };
}

// start connects to an agent that it starts with argv.
export function start(argv, onUpdate) {
  const [command, ...args] = argv;
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin),
    Readable.toWeb(child.stdout),
    streamOptions,
  );
  return connect(stream, onUpdate);
}

// pair connects to an agent in this process, each end behind its framer.
export function pair() {
  const toAgent = new TransformStream();
  const toClient = new TransformStream();
  makeAgent().connect(acp.ndJsonStream(toClient.writable, toAgent.readable, streamOptions));
  return connect(acp.ndJsonStream(toAgent.writable, toClient.readable, streamOptions), () => {});
}
