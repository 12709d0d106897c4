// Checks values against the JSON schemas of blueprints, in its own thread: a slow pattern holds up nobody else.
import { parentPort } from "node:worker_threads";
import { tryPost } from "#core/thread/try-post.ts";
import type { Numbered, TaskAnswer } from "#runtime/task-thread.ts";
import { type CompiledSchema, compileJsonSchema, describeFault } from "#service/blueprint/compile-json-schema.ts";
import { keepCompiled } from "#tuning/keep-compiled.ts";

export interface JsonCheckTask {
  readonly schema: string;
  readonly value: unknown;
}

/** What is wrong with the value, if anything is. */
export type JsonCheckResult = string | undefined;

/** Each may be 64 KiB of text, and some times that when compiled. */
const MAX_COMPILED = 64;
const compiled = new Map<string, CompiledSchema>();

keepCompiled();
parentPort?.on("message", ({ id, schema, value }: Numbered<JsonCheckTask>) => {
  const found = compiledOf(schema);
  const [fault] = "check" in found ? found.check(value) : [];
  if (parentPort !== null) {
    tryPost(parentPort, { id, result: fault && describeFault(fault) } satisfies TaskAnswer<JsonCheckResult>);
  }
});

function compiledOf(text: string): CompiledSchema {
  const known = compiled.get(text) ?? compileJsonSchema(text);
  // Least recently used, first forgotten.
  compiled.delete(text);
  compiled.set(text, known);
  if (compiled.size > MAX_COMPILED) for (const oldest of compiled.keys()) if (compiled.delete(oldest)) break;
  return known;
}
