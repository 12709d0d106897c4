import type { AttemptStore } from "#service/ports/attempt-store.ts";
import type { Writer } from "./writer.ts";

export function createAttemptStore(writer: Writer): AttemptStore {
  return {
    note: (attempts, now) => writer.run("noteSignInAttempts", { attempts, now }),
    forgive: (sources) => writer.run("forgiveSignInAttempts", { sources }),
    prune: (limits) => writer.run("pruneSignInAttempts", limits),
  };
}
