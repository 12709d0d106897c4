import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { createRecentPositions, MAX_REPLAY_MS } from "./recent-positions.ts";

/** `100=5`: at 100 ms an event happens, and the newest before it is at position 5. */
function recent(notation: string) {
  const positions = createRecentPositions({ at: instant(0), position: 1 });
  for (const [at = 0, position = 0] of notation.split(" ").map((mark) => mark.split("=").map(Number))) {
    positions.note({ at: instant(at), position });
  }
  return positions;
}

test.each([
  ["1000=5 2000=9", 2_500, 9],
  ["1000=5 2000=9", 2_000, 9],
  ["1000=5 2000=9", 1_999, 5],
  ["1000=5 2000=9", 999, 1],
  ["100=5 200=6 1200=9", 1_100, 1],
  ["1000=5 500=6 1600=9", 1_000, 6],
  ["5000=5 500=6", 100, 6],
])("after [%s], what happened since %i ms follows position %i", (notation, at, position) => {
  expect(recent(notation).since(instant(at))).toBe(position);
});

test("nothing of the longest replay is left out, however many events there are, and at most a second more comes", () => {
  const random = randomFrom(7);
  const positions = createRecentPositions({ at: instant(0), position: 0 });
  const events: { readonly at: number; readonly position: number }[] = [];
  let at = 0;
  for (let position = 1; position <= 3_000; position++) {
    at += Math.floor(random() * 200);
    positions.note({ at: instant(at), position: position - 1 });
    events.push({ at, position });
    const from = Math.max(0, at - Math.floor(random() * MAX_REPLAY_MS));
    const after = positions.since(instant(from));
    const firstWanted = events.find((event) => event.at >= from)?.position ?? position + 1;
    const firstReplayed = events.find((event) => event.position > after);
    expect(firstReplayed?.position ?? position + 1).toBeLessThanOrEqual(firstWanted);
    expect(firstReplayed?.at ?? from).toBeGreaterThan(from - 1_400);
  }
});
