import { expect, test } from "vitest";
import type { Database } from "#store/database.ts";
import { followEvents } from "./follow-events.ts";

/** Records whose events up to 6 are no longer kept, and whose newest event is 9. */
const PRUNED = {
  one: async () => ({ newest: 9, settled: 9, oldest: 7, before: 100, used: 300 }),
  all: async () => [],
} as unknown as Database;

test("a node that was away for longer than events are kept learns where it goes on", async () => {
  const follower = followEvents(PRUNED);
  const gap = Promise.withResolvers<number>();
  follower.watch(() => {}, 3, gap.resolve);
  expect(await gap.promise).toBe(9);
  await follower.stop();
  expect(follower.used()).toBe(300);
});
