// What is measured: each scenario is the one of the same name in Go, and returns values by the same names.
import { pair, start } from "./connection.mjs";
import { sample, sessionName, settle, takeStats } from "./sdk.mjs";

const updatesEach = 10;

// V8 compiles what is hot: measuring earlier would be measuring its interpreter. A warm-up takes a while and a number of
// messages, but not forever on a busy machine.
const warmUp = { millis: 1500, messages: 10_000, atMost: 6000 };
const isWarm = (millis, messages) =>
  millis > warmUp.atMost || (millis > warmUp.millis && messages > warmUp.messages);

const now = () => process.hrtime.bigint();
const millisSince = (then) => Number(now() - then) / 1e6;
const nap = () => new Promise((resolve) => setImmediate(resolve));

export const roundtrip = (job) => repeat(job, (client) => client.setMode(sessionName(1)));

export const prompts = (job) => repeat(job, (client) => client.prompt(sessionName(1), "nothing"));

async function repeat(job, call) {
  const client = start(job.Agent, () => {});
  const measure = async (isDone) => {
    const took = [];
    const begin = now();
    for (let then = begin; !isDone(millisSince(begin), took.length); ) {
      await call(client);
      const t = now();
      took.push(Number(t - then) / 1e3);
      then = t;
    }
    return took.sort((a, b) => a - b);
  };
  await measure(isWarm);
  const took = await measure((millis) => millis > job.Millis);
  const at = (part) => took[Math.floor(part * (took.length - 1))];
  return { p50: at(0.5), p99: at(0.99) };
}

export async function updates(job) {
  let got = 0;
  let wrong = 0;
  const client = start(job.Agent, (session, text) => {
    if (text.length !== job.Size) wrong++;
    got++;
  });
  const send = async (n) => {
    const expected = got + n;
    const begin = now();
    await client.prompt(sessionName(1), `say ${n} ${job.Size}`);
    while (got < expected) await nap();
    return millisSince(begin);
  };
  const few = 500;
  let n = few;
  for (const begin = now(); !isWarm(millisSince(begin), got); ) {
    n = Math.max(few, Math.floor((few * job.Millis) / (await send(few))));
  }
  const rate = n / ((await send(n)) / 1e3);
  if (wrong > 0) throw new Error(`${wrong} updates had a text of another length`);
  return { messages: rate, mb: (rate * job.Size) / 1e6 };
}

export async function bigPrompt(job) {
  const client = start(job.Agent, () => {});
  const session = sessionName(1);
  const text = sample(job.Size);
  await client.prompt(session, "settle");
  const agentBefore = await client.stats();
  settle();
  const before = takeStats();
  const took = [];
  const values = {};
  for (let i = 0; i < job.Count; i++) {
    const begin = now();
    await client.prompt(session, text);
    took.push(millisSince(begin));
    if (i > 0) continue;
    const after = takeStats();
    const agentAfter = await client.stats();
    if (agentAfter.Received !== job.Size) {
      throw new Error(`${agentAfter.Received} bytes of ${job.Size} arrived`);
    }
    if (before.Resident > 0) {
      values.sender = (after.Peak - before.Resident) / job.Size;
      values.receiver = (agentAfter.Peak - agentBefore.Resident) / job.Size;
    }
  }
  took.sort((a, b) => a - b);
  values.mb = job.Size / 1e6 / (took[took.length >> 1] / 1e3);
  return values;
}

export async function sessions(job) {
  const all = new Map();
  for (let i = 0; i < job.Count; i++) {
    all.set(sessionName(i), { arrived: 0, inOrder: 0, returned: 0, failed: false });
  }
  const client = start(job.Agent, (session, text) => {
    const s = all.get(session);
    if (!s) return;
    if (Number(text) === s.arrived) s.inOrder++;
    s.arrived++;
  });
  for (let i = 0; i < 200; i++) await client.prompt(sessionName(8_888_888), `count ${updatesEach}`);

  const begin = now();
  await Promise.all(
    [...all].map(async ([name, s]) => {
      try {
        s.failed = (await client.prompt(name, `count ${updatesEach}`)) !== "end_turn";
      } catch {
        s.failed = true;
      }
      s.returned = s.arrived;
    }),
  );
  const ms = millisSince(begin);
  const values = { ms, failed: 0, lost: 0, late: 0 };
  for (let i = 0; i < 100; i++) await nap();
  for (const s of all.values()) {
    if (s.failed) values.failed++;
    values.lost += updatesEach - s.inOrder;
    values.late += s.arrived - s.returned;
  }
  return values;
}

export async function idle(job) {
  const text = "x".repeat(job.Size);
  const open = async (text) => {
    const client = pair();
    await client.setMode(sessionName(1));
    if (text.length > 0) await client.prompt(sessionName(1), text);
    return client;
  };
  const live = async () => {
    for (let i = 0; i < 5; i++) {
      await nap();
      globalThis.gc();
    }
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const kept = [await open("")];
  const before = await live();
  for (let i = 0; i < job.Count; i++) kept.push(await open(text));
  const after = await live();
  return { kib: (after - before) / 1024 / (2 * job.Count) };
}
