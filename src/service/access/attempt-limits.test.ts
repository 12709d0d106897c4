import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createFakeAttempts } from "../../../test/support/fake-attempts.ts";
import { createAttemptLimits } from "./attempt-limits.ts";
import { createSeal } from "./seal.ts";

const FEW = { name: "few", most: 2, windowMs: 60_000 };
const MANY = { name: "many", most: 4, windowMs: 60_000 };

function open() {
  const attempts = createFakeAttempts();
  let seconds = 0;
  const needs = { attempts, seal: createSeal(new Uint8Array(32)), now: () => instant(seconds * 1000) };
  const at = (next: number) => {
    seconds = next;
  };
  return { attempts, at, node: () => createAttemptLimits(needs) };
}

test("a limit holds on all nodes together, and on one that starts later", async () => {
  const { node } = open();
  const [a, b] = [node(), node()];
  expect((await a.note([FEW, "x"])).over).toBeUndefined();
  expect((await b.note([FEW, "x"])).over).toBeUndefined();
  expect((await b.note([FEW, "x"])).over).toEqual({ limit: FEW, wait: 60 });
  expect((await a.note([FEW, "x"])).over).toEqual({ limit: FEW, wait: 60 });
  expect((await node().note([FEW, "x"])).over).toEqual({ limit: FEW, wait: 60 });
});

test("limits of one kind do not count for another, nor for another source", async () => {
  const { node } = open();
  const limits = node();
  for (let time = 0; time < 3; time++) await limits.note([FEW, "x"]);
  expect((await limits.note([MANY, "x"])).over).toBeUndefined();
  expect((await limits.note([FEW, "constructor"])).over).toBeUndefined();
});

test("going on beyond a limit writes nothing, until its window ends or the clock is set back", async () => {
  const { attempts, at, node } = open();
  const limits = node();
  for (let time = 0; time < 3; time++) await limits.note([FEW, "x"]);
  const writes = attempts.writes();
  for (let time = 0; time < 50; time++) expect((await limits.note([FEW, "x"], [MANY, "y"])).over?.limit).toBe(FEW);
  expect(attempts.writes()).toBe(writes);
  at(60);
  expect((await limits.note([FEW, "x"])).over).toBeUndefined();
  for (let time = 0; time < 2; time++) await limits.note([FEW, "x"]);
  at(-86_400);
  expect((await limits.note([FEW, "x"])).over).toBeUndefined();
});

test("what was right does not count, and only what was counted is taken back", async () => {
  const { node } = open();
  const limits = node();
  for (let time = 0; time < 9; time++) await (await limits.note([FEW, "x"], [MANY, "y"])).forgive();
  for (let time = 0; time < 5; time++) await limits.note([MANY, "y"]);
  // The first one is counted before the second is seen to be over its limit.
  const both = await limits.note([FEW, "x"], [MANY, "y"]);
  expect(both.over?.limit).toBe(MANY);
  await both.forgive();
  expect((await node().note([MANY, "y"])).over).toBeDefined();
  expect((await limits.note([FEW, "x"])).over).toBeUndefined();
});

test("no source can be read from what is stored", async () => {
  const { attempts, node } = open();
  const seen: string[] = [];
  const note = attempts.note.bind(attempts);
  attempts.note = (given, now) => {
    seen.push(...given.map(({ source }) => source));
    return note(given, now);
  };
  await node().note([FEW, "anna@example.org"], [FEW, "203.0.113.7"]);
  expect(seen).toHaveLength(2);
  for (const source of seen) expect(source).toMatch(/^[A-Za-z0-9+/]{43}=$/);
});
