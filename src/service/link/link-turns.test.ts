import { expect, test } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { createLinkTurns } from "./link-turns.ts";

test("of two thousand gateways that come at once, sixteen have a turn, and none is refused", async () => {
  const turns = createLinkTurns(createShares());
  let [inside, most, done] = [0, 0, 0];
  const come = (n: number) =>
    turns.run(`gateway ${n}`, async () => {
      most = Math.max(most, ++inside);
      await new Promise(setImmediate);
      inside--;
      done++;
    });
  await Promise.all(Array.from({ length: 2_000 }, (_, n) => come(n)));
  expect([most, done]).toEqual([16, 2_000]);
});

test("work that fails gives its turn to the next", async () => {
  const turns = createLinkTurns(createShares(), { slots: 1, slotsPerKey: 1, waiting: 10, waitingPerKey: 10 });
  const failing = turns.run("g", async () => {
    await new Promise(setImmediate);
    throw new Error("no");
  });
  const next = turns.run("h", async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});
