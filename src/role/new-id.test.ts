import { uuidv7obj } from "uuidv7";
import { expect, test } from "vitest";
import { newId, uuidText } from "./new-id.ts";

test("the text is the one that the package writes", () => {
  for (let round = 0; round < 500; round++) {
    const id = uuidv7obj();
    expect(uuidText(id.bytes)).toBe(id.toString());
  }
});

test("each id is greater than the one before", () => {
  const ids = Array.from({ length: 1_000 }, newId);
  expect(ids).toEqual([...new Set(ids)].sort());
});
