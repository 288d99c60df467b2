// An agent on standard input and output.
import { Readable, Writable } from "node:stream";
import { acp, streamOptions } from "./sdk.mjs";
import { makeAgent } from "./agent-app.mjs";

const stream = acp.ndJsonStream(
  Writable.toWeb(process.stdout),
  Readable.toWeb(process.stdin),
  streamOptions,
);
await makeAgent().connect(stream).closed;
process.exit(0);
