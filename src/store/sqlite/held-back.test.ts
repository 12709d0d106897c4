import { expect, test } from "vitest";
import { createHeldBack } from "./held-back.ts";

function recorder() {
  const ran: unknown[] = [];
  return { ran, held: createHeldBack((...statement) => void ran.push(statement)) };
}

test("what is added to one counter is added once, and nothing where it comes to nothing", () => {
  const { ran, held } = recorder();
  held.add("total", 1, 7, "device");
  held.add("total", -1, 8, "device");
  held.add("total", 2, 7, "device");
  held.add("total", 1, 8, "device");
  held.add("hour", 1, 7, "device");
  expect(ran).toEqual([]);
  held.release();
  expect(ran).toEqual([
    ["total", 3, 7, "device"],
    ["hour", 1, 7, "device"],
  ]);
});

test("of what is replaced only the last runs, and nothing runs twice", () => {
  const { ran, held } = recorder();
  held.replace("a", "first", 1);
  held.replace("b", "other", null);
  held.replace("a", "second", 2, "x");
  held.release();
  held.release();
  expect(ran).toEqual([
    ["second", 2, "x"],
    ["other", null],
  ]);
});

test("what was undone does not run", () => {
  const { ran, held } = recorder();
  held.add("total", 1, 7);
  held.replace("a", "first", 1);
  held.drop();
  held.release();
  expect(ran).toEqual([]);
});
