import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import {
  beginUplink,
  longestWaitMs,
  refusedAnew,
  type UplinkState,
  withEnd,
  withTaken,
  withWelcome,
} from "./uplink-state.ts";

/** `w` is a welcome; a connection ends by `cut`, `err` (an error) or `away` (the cloud ends it). The n-th word comes at n. */
function play(script: string): UplinkState {
  let state = beginUplink(instant(0), 5);
  for (const [step, word] of script
    .split(" ")
    .filter((one) => one !== "")
    .entries()) {
    const at = instant(step + 1);
    const error = word === "cut" ? undefined : word;
    state = word === "w" ? withWelcome(state, at) : withEnd(state, { at, error, isByCloud: word === "away" });
  }
  return state;
}

test.each([
  ["", "offline since 0, waits 1 s"],
  ["w", "online since 1, waits 1 s"],
  ["cut", "offline since 0, waits 2 s"],
  ["err", "offline since 0, waits 2 s, err"],
  ["err err", "offline since 0, waits 4 s, err"],
  ["err err err err err", "offline since 0, waits 32 s, err"],
  ["err err err err err err", "offline since 0, waits 60 s, err"],
  ["err ".repeat(2_000), "offline since 0, waits 60 s, err"],
  // A welcome forgets failures, once the connection has ended without the cloud's doing.
  ["err err w", "online since 3, waits 4 s"],
  ["err err w cut", "offline since 4, waits 1 s"],
  ["err err w err", "offline since 4, waits 1 s, err"],
  ["err err w cut err", "offline since 4, waits 2 s, err"],
  ["w away", "offline since 2, waits 2 s, away"],
  ["w away w away w away", "offline since 6, waits 8 s, away"],
  ["w away w cut", "offline since 4, waits 1 s"],
  // A connection that ends without a reason does not hide the last one.
  ["err cut", "offline since 0, waits 4 s, err"],
])("after [%s] a gateway is %s", (script, expected) => {
  const state = play(script);
  const { isConnected, since, lastError } = state;
  const wait = `${isConnected ? "online" : "offline"} since ${since}, waits ${longestWaitMs(state) / 1_000} s`;
  expect(lastError === undefined ? wait : `${wait}, ${lastError}`).toBe(expected);
});

test("what the cloud has stored only rises", () => {
  const state = beginUplink(instant(0), 5);
  expect([4, 5, 6].map((number) => withTaken(state, number).taken)).toEqual([5, 5, 6]);
});

test("a record is refused anew if it was not refused before, whatever the reason", () => {
  const record = (kind: string, key: string, reason: string) => ({ kind, key, reason });
  const state = { ...beginUplink(instant(0), 0), refused: [record("site", "a", "one")] };
  const refused = [record("site", "a", "another"), record("site", "b", "one"), record("device", "a", "one")];
  expect(refusedAnew(state, refused)).toEqual([record("site", "b", "one"), record("device", "a", "one")]);
});
