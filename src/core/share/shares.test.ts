import { expect, test } from "vitest";
import { createShares } from "./shares.ts";

test("the list has every share with what it does now, and each name once", () => {
  const shares = createShares();
  const uploads = shares.open("uploads", { slots: 1, slotsPerKey: 1, waiting: 0, waitingPerKey: 0 });
  shares.watch("main_thread", { inside: 0, waiting: 2, refused: 3 });
  uploads.tryEnter("a");
  uploads.tryEnter("b");
  const list = [...shares.list()].map(([name, { inside, waiting, refused }]) => [name, inside, waiting, refused]);
  expect(list).toEqual([
    ["uploads", 1, 0, 1],
    ["main_thread", 0, 2, 3],
  ]);
  expect(() => shares.open("uploads", { slots: 1, slotsPerKey: 1, waiting: 0, waitingPerKey: 0 })).toThrow(
    "two shares",
  );
});
