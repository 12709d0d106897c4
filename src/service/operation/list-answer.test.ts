import type { Readable } from "node:stream";
import { expect, test } from "vitest";
import { ListAnswer, openList } from "./list-answer.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function counted(count: number, text: string) {
  const made = { count: 0 };
  function* items() {
    for (let n = 0; n < count; n++) {
      made.count++;
      yield JSON.stringify({ n, text });
    }
  }
  return { made, items };
}

async function textOf(opened: string | Readable): Promise<string> {
  return typeof opened === "string" ? opened : (await opened.toArray()).join("");
}

test.each([0, 1, 3])("a list of %i short items is one text", (count) => {
  const { items } = counted(count, "x");
  const text = openList(new ListAnswer("things", 9, { now: items() }), nextTurn);
  expect(JSON.parse(text as string)).toEqual({
    things: Array.from({ length: count }, (_, n) => ({ n, text: "x" })),
    total_count: 9,
  });
});

test("a long list is made as it is read, and is whole in the end", async () => {
  const { items, made } = counted(1_000, "x".repeat(10_000));
  const opened = openList(new ListAnswer("things", 1_000, { now: items() }), nextTurn);
  if (typeof opened === "string") throw new Error("it should leave in pieces");
  await new Promise((resolve) => opened.once("readable", resolve));
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  // Nobody has read yet: what waits is a few pieces, whatever the list holds.
  expect(made.count).toBeLessThan(50);
  const { things } = JSON.parse(await textOf(opened)) as { things: readonly { n: number }[] };
  expect(things.map(({ n }) => n)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
});

test.each([
  ["short", "x"],
  ["long", "x".repeat(50_000)],
])("items that are read later follow the others, %s ones", async (_, text) => {
  const { items } = counted(3, text);
  async function* rest() {
    yield JSON.stringify("late");
    yield JSON.stringify("last");
  }
  const answer = new ListAnswer("things", 5, { now: items(), rest: rest() });
  const { things } = JSON.parse(await textOf(openList(answer, nextTurn))) as { things: readonly unknown[] };
  expect([things.length, things.slice(3)]).toEqual([5, ["late", "last"]]);
});
