import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { afterSend, GIVE_UP_MESSAGE_MS, type SendOutcome } from "./after-send.ts";

const START = instant(1_000_000);
const giveUpAt = instant(START + GIVE_UP_MESSAGE_MS);
const after = (attempts: number, outcome: SendOutcome, kind: "mail" | "webhook" = "mail", now = START) =>
  afterSend({ attempts, giveUpAt, kind }, outcome, { now, chance: 1 });
const refused = (fields: object = {}): SendOutcome => ({ outcome: "refused", error: "no", isFinal: false, ...fields });

test("what was taken is sent", () => {
  expect(after(3, { outcome: "taken" })).toMatchObject({ state: "SENT", finishedAt: START, error: undefined });
});

test.each([
  [1, 10],
  [2, 20],
  [5, 160],
  [12, 3600],
])("after attempt %i it waits for %i seconds", (attempts, seconds) => {
  expect(after(attempts, refused())).toMatchObject({ state: "WAITING", nextAttemptAt: START + seconds * 1_000 });
});

test("what a receiver asks for is granted, up to an hour", () => {
  expect(after(1, refused({ retryAfterMs: 60_000 })).nextAttemptAt).toBe(START + 60_000);
  expect(after(1, refused({ retryAfterMs: 9e9 })).nextAttemptAt).toBe(START + 3_600_000);
});

test("what nobody knows is not sent again, unless the receiver recognises it", () => {
  const unknown: SendOutcome = { outcome: "unknown", error: "?" };
  expect(after(1, unknown)).toMatchObject({ state: "UNKNOWN", finishedAt: START, error: "?" });
  expect(after(1, unknown, "webhook")).toMatchObject({ state: "WAITING" });
});

test("it is given up after a day, and after five refusals for good", () => {
  expect(after(30, refused(), "mail", instant(giveUpAt - 1))).toMatchObject({ state: "FAILED", error: "no" });
  expect(after(4, refused({ isFinal: true }))).toMatchObject({ state: "WAITING" });
  expect(after(5, refused({ isFinal: true }))).toMatchObject({ state: "FAILED" });
});
