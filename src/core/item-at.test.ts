import { expect, test } from "vitest";
import { itemAt } from "./item-at.ts";

test("an item is found, and a place outside the list is a fault", () => {
  expect([itemAt([7, 8], 1), itemAt(Uint8Array.of(0), 0)]).toEqual([8, 0]);
  for (const place of [-1, 2, 0.5]) expect(() => itemAt([7, 8], place)).toThrow("in a list of 2");
});
