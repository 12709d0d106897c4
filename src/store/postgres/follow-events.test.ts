import { expect, test } from "vitest";
import type { Database } from "#store/database.ts";
import { followEvents } from "./follow-events.ts";

/** Records that have lost events of some site up to 6, and whose newest event is 9. */
const PRUNED = {
  one: async () => ({ newest: 9, settled: 9, cut: 6, used: 300 }),
  all: async () => [],
} as unknown as Database;

test("a node that was away for longer than the events of a site are kept learns it, and goes on with all that are kept", async () => {
  const follower = followEvents(PRUNED);
  const gap = Promise.withResolvers<number>();
  follower.watch(() => {}, 3, gap.resolve);
  expect(await gap.promise).toBe(3);
  await follower.stop();
  expect(follower.used()).toBe(300);
});
