import { test } from "vitest";
import { type SentenceId, sentenceOf } from "../interface/register.ts";

/** A live check of a sentence. Its title is the sentence, after its id. */
export function check(id: SentenceId, run: () => Promise<void> | void, timeoutMs?: number): void {
  test(`${id}: ${sentenceOf(id)}`, run, timeoutMs);
}
