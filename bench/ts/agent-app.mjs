// The agent of agent.go, in JavaScript: the text of a prompt is a command.
import { acp, sample, settle, takeStats } from "./sdk.mjs";

const longestCommand = 64;
const cancelLimit = 300; // ms

export function makeAgent() {
  let received = 0;
  const turns = new Map(); // session to AbortController

  async function run(text, signal, update) {
    if (text.length > longestCommand) {
      received = Buffer.byteLength(text);
      return "end_turn";
    }
    const [verb, ...rest] = text.split(" ");
    const [n, size] = rest.map(Number);
    switch (verb) {
      case "say": {
        const said = sample(size);
        for (let i = 0; i < n; i++) await update(said); // many at a time are no faster
        break;
      }
      case "count":
        for (let i = 0; i < n; i++) await update(String(i));
        break;
      case "wait":
        return await new Promise((resolve) => {
          const timer = setTimeout(() => resolve("end_turn"), cancelLimit);
          signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve("cancelled");
          });
        });
      case "settle":
        settle();
        break;
      case "stats":
        await update(JSON.stringify({ ...takeStats(), Received: received }));
        break;
    }
    return "end_turn";
  }

  const app = acp.agent({ name: "bench" });
  // With a handler for initialize the SDK refuses prompts before it, which the other scenarios don't send.
  if (process.argv.includes("initialize")) {
    app.onRequest(acp.methods.agent.initialize, () => ({ protocolVersion: acp.PROTOCOL_VERSION, agentCapabilities: {} }));
  }
  return app
    .onRequest(acp.methods.agent.session.setMode, () => ({}))
    .onRequest(acp.methods.agent.session.prompt, async ({ params, client }) => {
      const { sessionId } = params;
      const turn = new AbortController();
      turns.set(sessionId, turn);
      const stopReason = await run(params.prompt[0].text, turn.signal, (text) =>
        client.notify(acp.methods.client.session.update, {
          sessionId,
          update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
        }),
      );
      if (turns.get(sessionId) === turn) turns.delete(sessionId);
      return { stopReason };
    })
    .onNotification(acp.methods.agent.session.cancel, ({ params }) => {
      turns.get(params.sessionId)?.abort();
    });
}
