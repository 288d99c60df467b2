// One measurement with the TypeScript SDK on both ends: node client.mjs JOB, where JOB is a job of job.go in JSON.
import { bigPrompt, idle, prompts, roundtrip, sessions, updates } from "./scenarios.mjs";

const scenarios = {
  roundtrip,
  prompt: prompts,
  "updates-100": updates,
  "updates-10k": updates,
  "prompt-32m": bigPrompt,
  sessions,
  idle,
  "idle-64m": idle,
};

try {
  const job = JSON.parse(process.argv[2]);
  console.log(JSON.stringify(await scenarios[job.Scenario](job)));
  process.exit(0);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
