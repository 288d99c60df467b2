// What agent.mjs does in a turn, by the first word of the prompt. What an act returns goes into the
// answer to session/prompt.

import { RequestError } from "@agentclientprotocol/sdk/unstable";
import { checked } from "./answers.mjs";

// A turn is what an act is given.
export class Turn {
  constructor(session, peer, blocks, hello) {
    Object.assign(this, { session, peer, blocks, hello, calls: 0 });
    this.aborter = new AbortController();
  }

  async update(update) {
    this.session.history.push(update);
    await this.peer.notify("session/update", { sessionId: this.session.id, update });
  }

  text(text, messageId = "m1") {
    return this.update({ sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } });
  }

  async ask(method, params) {
    return checked(method, await this.peer.request(method, { sessionId: this.session.id, ...params }));
  }

  // tool reports a call from its beginning to its end; `work` may return what the call shows.
  async tool(title, kind, work) {
    const toolCallId = `call-${++this.calls}-${this.session.history.length}`;
    const call = { toolCallId, title, kind, status: "pending", rawInput: { title } };
    await this.update({ sessionUpdate: "tool_call", ...call });
    const end = (status, content) => this.update({ sessionUpdate: "tool_call_update", toolCallId, status, content });
    try {
      await end("in_progress");
      await end("completed", await work(call));
    } catch (error) {
      await end("failed", [textContent(error.message)]);
      if (this.aborter.signal.aborted) throw error;
    }
  }
}

const textContent = (text) => ({ type: "content", content: { type: "text", text } });
export const words = (rest) => [rest.split(" ")[0], rest.split(" ").slice(1).join(" ")];

export const acts = {
  async say(turn, rest) {
    await turn.update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "what to say?" } });
    const entries = [{ content: "say it", priority: "high", status: "in_progress" }];
    await turn.update({ sessionUpdate: "plan", entries });
    for (const word of rest.split(/(?<= )/)) await turn.text(word);
    return { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } };
  },
  async kinds(turn) {
    await turn.text(turn.blocks.map((b) => b.type).join(" "));
  },
  async permission(turn) {
    await turn.tool("Delete everything", "delete", async (toolCall) => {
      const kinds = ["allow_once", "allow_always", "reject_once", "reject_always"];
      const options = kinds.map((kind, i) => ({ kind, name: kind, optionId: `option-${i}` }));
      const { outcome } = await turn.ask("session/request_permission", { toolCall, options });
      if (outcome.outcome !== "selected") throw new Error(outcome.outcome);
      const { kind } = options.find((o) => o.optionId === outcome.optionId);
      if (kind.startsWith("reject")) throw new Error(kind);
      return [textContent(kind)];
    });
  },
  async read(turn, path) {
    const { content } = await turn.ask("fs/read_text_file", { path });
    await turn.text(content);
  },
  async lines(turn, rest) { // lines LINE LIMIT PATH
    const [line, limit, path] = rest.split(" ");
    const { content } = await turn.ask("fs/read_text_file", { path, line: Number(line), limit: Number(limit) });
    await turn.text(content);
  },
  async write(turn, rest) {
    const [path, content] = words(rest);
    await turn.ask("fs/write_text_file", { path, content });
    const diff = { type: "diff", path, oldText: null, newText: content };
    await turn.tool(`Write ${path}`, "edit", async () => [diff]);
  },
  async run(turn, line) {
    const limits = { cwd: turn.session.cwd, env: [{ name: "GREETING", value: "hello" }], outputByteLimit: 1000 };
    const terminal = await turn.ask("terminal/create", { command: "sh", args: ["-c", line], ...limits });
    await turn.tool(line, "execute", async () => [{ type: "terminal", ...terminal }]);
    const { exitCode } = await turn.ask("terminal/wait_for_exit", terminal);
    const { output, truncated } = await turn.ask("terminal/output", terminal);
    await turn.ask("terminal/kill", terminal); // after the exit, as a real agent does
    await turn.ask("terminal/release", terminal);
    await turn.text(JSON.stringify({ exitCode, output, truncated }));
  },
  async shell(turn, command) { // a whole line in `command`, without args, as a real agent sends it; by the SDK's handle
    const terminal = await turn.peer.createTerminal({ sessionId: turn.session.id, command });
    await terminal.waitForExit();
    await turn.text((await terminal.currentOutput()).output);
    await terminal.release();
  },
  async wait(turn) {
    await turn.tool("Wait", "other", () => new Promise((_, reject) => {
      turn.aborter.signal.onabort = () => reject(new Error("interrupted"));
    }));
  },
  async ask(turn) {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
    const answer = await turn.ask("elicitation/create", { mode: "form", message: "Who?", requestedSchema });
    await turn.text(JSON.stringify(answer));
  },
  async link(turn) {
    const link = { mode: "url", message: "Sign in", elicitationId: "e1", url: "https://example.com/in" };
    const answer = await turn.ask("elicitation/create", link);
    await turn.peer.notify("elicitation/complete", { elicitationId: "e1" });
    await turn.text(JSON.stringify(answer));
  },
  async updates(turn) { // one of each kind that the other acts don't send
    const content = { type: "text", text: "so far" };
    turn.session.mode = "https://example.com/modes#auto"; // mode ids can be URLs
    const list = [
      { sessionUpdate: "available_commands_update", availableCommands: [{ name: "go", description: "Go", input: null }] },
      { sessionUpdate: "current_mode_update", currentModeId: turn.session.mode },
      { sessionUpdate: "config_option_update", configOptions: turn.session.config },
      { sessionUpdate: "session_info_update", title: "A title" },
      { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.5, currency: "EUR" } },
      { sessionUpdate: "notice", severity: "warning", title: "Careful" },
      { sessionUpdate: "compaction_update", compactionId: "c1", status: "in_progress" },
      { sessionUpdate: "compaction_summary_chunk", compactionId: "c1", content },
      { sessionUpdate: "compaction_update", compactionId: "c1", status: "completed" },
      { sessionUpdate: "subagent_update", sessionId: "child", title: "A child" },
    ];
    for (const update of list) await turn.update(update);
  },
  async foreign(turn) { // what real agents send although no specification has it
    await turn.update({ sessionUpdate: "weather_update", sky: "blue" });
    await turn.peer.notify("vendor/notify", { any: 1 });
    const refused = await turn.peer.request("vendor/drain", {}).catch((error) => error);
    await turn.text(`${refused.code}`);
  },
  async many(turn, count) {
    for (let i = 0; i < Number(count); i++) await turn.text(`${i} `);
  },
  async fail() {
    throw new RequestError(-32603, "the model is gone", { status: 529 });
  },
  async hello(turn) {
    await turn.text(JSON.stringify(turn.hello));
  },
};
