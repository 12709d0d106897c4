import Fastify from "fastify";
import { expect, onTestFinished, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { createByteShares } from "#core/share/byte-shares.ts";
import { createShares } from "#core/share/shares.ts";
import { countBodies } from "./count-bodies.ts";
import { createBodyPacer } from "./pace-bodies.ts";

test("large bodies of calls under way are counted until they are answered, and refused beyond the budget", async () => {
  const budget = createByteBudget("bodies", 25_000);
  const app = Fastify();
  onTestFinished(() => app.close());
  countBodies(app, createByteShares(budget, 25_000), createBodyPacer(createShares(), 10));
  const answer = Promise.withResolvers<void>();
  let begun = 0;
  app.post("/", async () => {
    begun++;
    await answer.promise;
    return {};
  });
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const post = async (length: number) => {
    const headers = { "content-type": "application/json" };
    return (await fetch(url, { method: "POST", headers, body: JSON.stringify("x".repeat(length - 2)) })).status;
  };
  const waiting = [post(10_000), post(10_000), post(1_000)];
  while (begun < 3) await new Promise((resolve) => setImmediate(resolve));
  expect(budget.used()).toBe(20_000);
  expect(await post(10_000)).toBe(500); // Without our error handler.
  answer.resolve();
  expect(await Promise.all(waiting)).toEqual([200, 200, 200]);
  while (budget.used() > 0) await new Promise((resolve) => setImmediate(resolve));
  expect(await post(10_000)).toBe(200);
});
