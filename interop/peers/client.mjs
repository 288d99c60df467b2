// A client written on the TypeScript SDK, for tests of agents: `node client.mjs COMMAND ARGS...`.
// It reads steps from stdin, one JSON object a line, and writes one line a step when it is done:
//
//   {"request": METHOD, "params": {...}}   -> {"result": ...} or {"error": {code, message, data}}
//   {"notify": METHOD, "params": {...}}    -> {}
//   {"until": TEXT}                        -> {}, once an update whose JSON contains TEXT has come
//   {"kill": SIGNAL}                       -> {}, once the agent has ended by it
//
// A step may also have
//   "answer": what requests for permission get: a kind of option (default allow_once) or "cancelled";
//             for elicitation, "content" is the form's (without it the answer is "decline")
//   "when":   [TEXT, STEP], a step to take once, in between, when an update contains TEXT or the agent
//             makes a request whose JSON contains it, which is answered after that step; what came of it
//             is in "then"
//
// Each answer has "updates" and "asked" (requests of the agent, with our "answer"), in the order in
// which they came since the last one, and "wire": what was read, as a method or "answer". At the end
// of stdin it closes the agent's and waits for it.

import { spawn } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk/unstable";
import { checked } from "./answers.mjs";

const agent = spawn(process.argv[2], process.argv.slice(3), { stdio: ["pipe", "pipe", "inherit"] });
const exited = new Promise((resolve) => agent.on("exit", (code, signal) => resolve({ code, signal })));
const terminals = new Map();
let step = {};
const nothing = () => ({ updates: [], asked: [], wire: [] });
let seen = nothing();
let waiting; // {text, resolve} of an `until`
let then;    // the promise of what a `when` started

// notice looks whether what came is what a step waits for, and returns what is done about it.
function notice(json) {
  if (waiting && json.includes(waiting.text)) waiting.resolve();
  if (!step.when || then || !json.includes(step.when[0])) return;
  return (then = perform(step.when[1]));
}

// asked registers a request that the agent may make, and notes it with its answer.
function asked(method, handler) {
  app.onRequest(method, async ({ params, signal }) => {
    const entry = { method, params };
    seen.asked.push(entry);
    await notice(JSON.stringify(entry));
    try {
      return (entry.answer = (await handler(params, signal)) ?? {});
    } catch (error) {
      entry.answer = { error: error.message };
      throw error;
    }
  });
}

const app = acp.client({ name: "peer" }).onNotification("session/update", ({ params }) => {
  seen.updates.push(params);
  notice(JSON.stringify(params));
}).onNotification("elicitation/complete", ({ params }) => void seen.asked.push({ method: "elicitation/complete", params }));

asked("session/request_permission", ({ options }) => {
  const kind = step.answer ?? "allow_once";
  if (kind === "cancelled") return { outcome: { outcome: "cancelled" } };
  const { optionId } = options.find((option) => option.kind === kind);
  return { outcome: { outcome: "selected", optionId } };
});
asked("elicitation/create", ({ mode }) => {
  if (mode === "url") return { action: "accept" };
  return step.content ? { action: "accept", content: step.content } : { action: "decline" };
});
asked("fs/read_text_file", async ({ path, line, limit }) => {
  const text = await readFile(path, "utf8").catch((error) => {
    throw error.code === "ENOENT" ? acp.RequestError.resourceNotFound(path) : error;
  });
  const first = (line ?? 1) - 1;
  return { content: text.split(/(?<=\n)/).slice(first, limit == null ? undefined : first + limit).join("") };
});
asked("fs/write_text_file", ({ path, content }) => writeFile(path, content));

asked("terminal/create", ({ command, args, cwd, env, outputByteLimit }) => {
  const more = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const child = spawn(command, args ?? [], { cwd, env: { ...process.env, ...more }, shell: !args?.length });
  const terminal = { child, output: "", truncated: false };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      terminal.output += text;
      if (outputByteLimit == null || terminal.output.length <= outputByteLimit) return;
      terminal.output = terminal.output.slice(-outputByteLimit);
      terminal.truncated = true;
    });
  }
  terminal.exit = new Promise((resolve) => child.on("close", (exitCode, signal) => {
    resolve((terminal.status = { exitCode, signal }));
  }));
  const terminalId = `terminal-${terminals.size + 1}`;
  terminals.set(terminalId, terminal);
  return { terminalId };
});
asked("terminal/output", ({ terminalId }) => {
  const { output, truncated, status } = terminals.get(terminalId);
  return { output, truncated, exitStatus: status };
});
asked("terminal/wait_for_exit", ({ terminalId }) => terminals.get(terminalId).exit);
asked("terminal/kill", ({ terminalId }) => void terminals.get(terminalId).child.kill("SIGKILL"));
asked("terminal/release", ({ terminalId }) => void terminals.get(terminalId).child.kill("SIGKILL"));

// perform takes a step, without waiting for what its `when` started.
async function perform({ request, notify, until, kill, params }) {
  if (kill) return (agent.kill(kill), await exited, {});
  if (until) return new Promise((resolve) => {
    waiting = { text: until, resolve: () => resolve({}) };
    seen.updates.forEach((update) => JSON.stringify(update).includes(until) && resolve({}));
  });
  if (notify) return (await connection.agent.notify(notify, params), {});
  try {
    return { result: checked(request, await connection.agent.request(request, params)) };
  } catch ({ code, message, data }) {
    return { error: { code, message, data } }; // without a code if the result is wrong
  }
}

const stream = acp.ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const wire = new TransformStream({
  transform(message, controller) {
    seen.wire.push(message.method ?? "answer");
    controller.enqueue(message);
  },
});
const connection = app.connect({ writable: stream.writable, readable: stream.readable.pipeThrough(wire) });

for await (const line of createInterface({ input: process.stdin })) {
  step = JSON.parse(line);
  then = waiting = undefined;
  const outcome = await perform(step);
  if (then) outcome.then = await then;
  console.log(JSON.stringify({ ...outcome, ...seen }));
  seen = nothing();
}
agent.stdin.end();
console.log(JSON.stringify(await exited));
process.exit();
