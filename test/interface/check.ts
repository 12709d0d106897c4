import { test } from "vitest";
import { type SentenceId, sentenceOf } from "./register.ts";
import { textOf } from "./sentence.ts";

/** A live check of a sentence. Its title is the sentence, after its id. */
export function check(id: SentenceId, run: () => Promise<void> | void, timeoutMs?: number): void {
  const sentence = sentenceOf(id);
  if (typeof sentence !== "string") throw new Error(`${id} is marked as not served; with a check it is served`);
  test(`${id}: ${textOf(sentence)}`, run, timeoutMs);
}
