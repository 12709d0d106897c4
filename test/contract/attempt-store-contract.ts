import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { AttemptStore } from "#service/ports/attempt-store.ts";
import { NOON } from "../support/records.ts";

export function attemptStoreContract(open: () => Promise<{ readonly attempts: AttemptStore }>): void {
  const at = (seconds: number) => instant(NOON + seconds * 1000);

  /** Three a minute. */
  async function withAttempts() {
    const { attempts } = await open();
    const note = async (seconds: number, ...sources: readonly string[]) => {
      const given = sources.map((source) => ({ source, most: 3, windowMs: 60_000 }));
      return (await attempts.note(given, at(seconds))).map(({ count, endsAt }) => `${count}@${(endsAt - NOON) / 1000}`);
    };
    return { attempts, note };
  }

  test("attempts are counted by source in windows that begin with the first", async () => {
    const { note } = await withAttempts();
    expect([await note(0, "a"), await note(10, "a", "b"), await note(59, "b")]).toEqual([
      ["1@60"],
      ["2@60", "1@70"],
      ["2@70"],
    ]);
    expect(await note(60, "a", "constructor")).toEqual(["1@120", "1@120"]);
  });

  test("what follows a source that is over its limit is not counted", async () => {
    const { note } = await withAttempts();
    for (let time = 0; time < 3; time++) await note(0, "a");
    expect(await note(1, "a", "b")).toEqual(["4@60"]);
    expect(await note(2, "b")).toEqual(["1@62"]);
  });

  test("a window from before the clock was set back begins anew", async () => {
    const { note } = await withAttempts();
    await note(86_400, "a");
    expect(await note(1, "a")).toEqual(["1@61"]);
  });

  test("an attempt is taken back, and never more than there were", async () => {
    const { attempts, note } = await withAttempts();
    await note(0, "a");
    await attempts.forgive(["a", "unknown"]);
    await attempts.forgive(["a"]);
    expect(await note(1, "a")).toEqual(["1@60"]);
  });

  test("of many attempts at once each has a count of its own, whatever the order of their sources", async () => {
    const { note } = await withAttempts();
    const turns = Array.from({ length: 12 }, (_, turn) => (turn % 2 === 0 ? ["a", "b"] : ["b", "a"]));
    const counts = (await Promise.all(turns.map((sources) => note(0, ...sources)))).flat();
    expect(counts.filter((count) => count === "1@60")).toHaveLength(2);
    // Twelve begin with one of them each, and of those that are not over their limit all go on to the other one.
    expect(counts.length).toBeGreaterThan(12);
    expect(counts.length).toBeLessThanOrEqual(18);
  });

  test("windows that have ended are deleted, and of too many those that end first", async () => {
    const { attempts, note } = await withAttempts();
    for (const [index, source] of ["a", "b", "c", "d"].entries()) await note(index, source);
    expect(await attempts.prune({ now: at(60), most: 2 })).toBe(2);
    expect([await note(60, "a"), await note(60, "b"), await note(60, "c"), await note(60, "d")]).toEqual([
      ["1@120"],
      ["1@120"],
      ["2@62"],
      ["2@63"],
    ]);
    expect(await attempts.prune({ now: at(60), most: 9 })).toBe(0);
  });
}
