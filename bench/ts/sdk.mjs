// What both ends have in common: the SDK, the text, and what the process knows of its memory.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// BENCH_SDK is the node_modules folder that has the SDK: it belongs to another part of the repository.
const require = createRequire(join(process.env.BENCH_SDK, "index.js"));
export const acp = await import(pathToFileURL(require.resolve("@agentclientprotocol/sdk")));

// The SDK refuses messages over 32 MiB unless told otherwise.
export const streamOptions = { maxMessageBytes: 128 * 1024 * 1024 };

export const sessionName = (n) => "s" + String(n).padStart(7, "0");

// The same text as in stack.go.
export function sample(size) {
  const unit =
    'A session keeps a queue of its own, so a slow handler never holds up the others.\nSee "queue.go".\n\n';
  return Buffer.from(unit.repeat(Math.floor(size / unit.length) + 1).slice(0, size)).toString();
}

// Collect garbage and forget how much memory was used at most.
export function settle() {
  globalThis.gc();
  try {
    writeFileSync("/proc/self/clear_refs", "5");
  } catch {
    // Only Linux has it.
  }
}

// The same members as in proc.go.
export function takeStats() {
  let resident = 0;
  let peak = 0;
  try {
    const status = readFileSync("/proc/self/status", "utf8");
    resident = 1024 * Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]);
    peak = 1024 * Number(/VmHWM:\s+(\d+) kB/.exec(status)[1]);
  } catch {
    // Only Linux tells.
  }
  return { Mallocs: 0, Allocated: 0, Resident: resident, Peak: peak, Received: 0 };
}
