// The thread of one dry run: whatever the script does, the gateway can end it.
import { parentPort, workerData } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import type { PastColumn } from "#service/rule/lua-dry-run.ts";
import type { DryRunSetup, FromDryRun, PastAnswer, PastQuestion, ToDryRun } from "./dry-run-messages.ts";
import { simulateScript } from "./simulate-script.ts";

/** Counted in instructions, so that it is the same on every machine. */
const ACTIVITY_MS = 5_000;

const { past, limits } = workerData as DryRunSetup;
const waiting = new Map<number, { done(answer: PastAnswer): void; fail(error: Error): void }>();
let last = 0;

function post(message: FromDryRun): void {
  const error = parentPort === null ? undefined : tryPost(parentPort, message);
  if (error !== undefined) throw error;
}

function question(asked: PastQuestion): Promise<PastAnswer> {
  const id = ++last;
  return new Promise((done, fail) => {
    waiting.set(id, { done, fail });
    post({ kind: "question", id, question: asked });
  });
}

parentPort?.on("message", ({ id, answer, fault }: ToDryRun) => {
  const one = waiting.get(id);
  waiting.delete(id);
  if (fault === undefined) one?.done(answer);
  else one?.fail(new Error(fault));
});

const source = {
  column: async (name: Extract<PastQuestion, { kind: "column" }>["name"]) =>
    (await question({ kind: "column", name })) as PastColumn,
  controlProblem: async (device: string, control: string) =>
    (await question({ kind: "control", device, control })) as string | undefined,
  ask: async (name: string, args: readonly unknown[], at: number) =>
    (await question({ kind: "ask", name, args, at })) as readonly unknown[],
};
const engine = createLuaEngine({ isVirtualTime: true, activityMs: ACTIVITY_MS });

// A rejection is a bug: it ends the thread, and the caller is notified.
void simulateScript({ engine, source, limits, wall: () => performance.now() }, past).then((result) => {
  post({ kind: "done", result });
  parentPort?.close();
});
