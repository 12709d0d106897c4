import { expect, test } from "vitest";
import { type BulkState, MEMBER_STATES, type MemberCounts, noMembers, planBulk } from "./bulk-command.ts";

/** `W3 R1 F2`: three wait, one runs, two have failed. */
function counts(text: string): MemberCounts {
  const found = noMembers();
  for (const word of text.split(" ")) {
    const state = MEMBER_STATES.find((one) => one[0] === (word[0] === "X" ? "R" : word[0])) ?? "WAITING";
    found[word[0] === "X" ? "REFUSED" : state] = Number(word.slice(1));
  }
  return found;
}

interface Case {
  readonly state?: BulkState;
  readonly rate?: number;
  readonly parallel?: number;
  readonly stopAfter?: number;
  readonly agoMs?: number;
}

const plan = (text: string, { state = "RUNNING", rate = 10, parallel = 4, stopAfter, agoMs }: Case = {}) =>
  planBulk(
    { state, rate, parallel, stopAfter },
    { counts: counts(text), lastBegunAt: agoMs === undefined ? undefined : 10_000 - agoMs, now: 10_000 },
  );

test.each<[string, string, Case, object]>([
  ["the first device begins alone", "W9", {}, { kind: "begin", count: 1 }],
  ["the next begins when the rate allows it", "W8 R1", { agoMs: 40 }, { kind: "wait", ms: 60 }],
  ["then it does", "W8 R1", { agoMs: 100 }, { kind: "begin", count: 1 }],
  ["a pause is not made up for by a burst", "W8 R1", { agoMs: 60_000 }, { kind: "begin", count: 2 }],
  ["no more than may run at once", "W8 R3", { agoMs: 60_000 }, { kind: "begin", count: 1 }],
  ["none while all places are taken", "W8 R4", { agoMs: 60_000 }, { kind: "wait", ms: 250 }],
  ["one per second", "W8 R1", { rate: 1, agoMs: 900 }, { kind: "wait", ms: 100 }],
  ["a clock that was set back holds nothing up", "W8 R1", { agoMs: -5_000 }, { kind: "begin", count: 1 }],
  ["the last ones are waited for", "R1 S8", {}, { kind: "wait", ms: 250 }],
  ["then it is done", "S8 F1", {}, { kind: "turn", to: "DONE", reason: undefined }],
  ["failures alone do not stop it", "W1 F9", {}, { kind: "begin", count: 1 }],
  ["too many do", "W1 F1 X1", { stopAfter: 2 }, { kind: "turn", to: "STOPPED", reason: "2 devices have failed" }],
  ["not one less", "W1 F1", { stopAfter: 2 }, { kind: "begin", count: 1 }],
  ["with none left to stop it is done", "F2", { stopAfter: 2 }, { kind: "turn", to: "DONE", reason: undefined }],
  ["stopped, it waits for what runs", "R2", { state: "STOPPED" }, { kind: "wait", ms: 250 }],
  ["and ends", "F3", { state: "STOPPED" }, { kind: "end" }],
  ["cancelled, it begins nothing", "W5", { state: "CANCELLED" }, { kind: "end" }],
])("%s: %s", (_, text, given, expected) => {
  expect(plan(text, given)).toEqual(expected);
});
