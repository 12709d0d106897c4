import { expect, test } from "vitest";
import type { ReadDatabase } from "#store/database.ts";
import { OLDEST } from "#store/records/event-outbox.ts";
import { followEvents } from "./follow-events.ts";

/** Records whose events up to 6 are no longer kept, and whose newest event is 9. */
function prunedRecords(): ReadDatabase {
  const reader = {
    settledChange: async () => 9,
    snapshot: (read: (database: unknown) => unknown) => read(reader),
    get: async (sql: string) => (sql === OLDEST ? { position: 7, before: 100, total: 120 } : undefined),
    one: async () => ({ latest: 9, newest: 9, settled: 9, used: 300 }),
    all: async () => [],
  };
  return reader as unknown as ReadDatabase;
}

test("a node that was away for longer than events are kept is told where it goes on", async () => {
  const follower = followEvents(prunedRecords());
  const gap = Promise.withResolvers<number>();
  follower.watch(() => {}, 3, gap.resolve);
  expect(await gap.promise).toBe(9);
  await follower.stop();
  expect(follower.used()).toBe(300);
});
