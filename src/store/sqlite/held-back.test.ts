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

test("rows of one table are added together, in their order and each once, however many they are", () => {
  for (const count of [1, 2, 3, 15, 16, 33]) {
    const { ran, held } = recorder();
    const rows = Array.from({ length: count }, (_, index) => [index, `row ${index}`] as const);
    for (const row of rows) held.row("INSERT INTO one (a, b)", ...row);
    held.row("INSERT INTO other (c)", null);
    held.release();
    held.release();
    const [texts, values] = [
      ran.map((one) => String((one as unknown[])[0])),
      ran.map((one) => (one as unknown[]).slice(1)),
    ];
    expect(texts.pop()).toBe("INSERT INTO other (c) VALUES (?)");
    expect(values.pop()).toEqual([null]);
    expect(values.flat()).toEqual(rows.flat());
    expect(texts.every((text) => /^INSERT INTO one \(a, b\) VALUES (\(\?, \?\)(, )?)+$/.test(text))).toBe(true);
    expect(texts.map((text) => text.split("(?").length - 1).reduce((sum, one) => sum + one)).toBe(count);
  }
});

test("what was undone does not run", () => {
  const { ran, held } = recorder();
  held.row("INSERT INTO one (a)", 1);
  held.add("total", 1, 7);
  held.replace("a", "first", 1);
  held.drop();
  held.release();
  expect(ran).toEqual([]);
});
