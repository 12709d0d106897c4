import { expect, test } from "vitest";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { Needs } from "#service/ports.ts";
import { createLatestTraces } from "./latest-traces.ts";

type Records = Parameters<Needs["rules"]["remember"]>[0];

const trace = (id: string, at: number) => ({ id, at }) as unknown as RuleTrace;

test("traces that could not be stored are stored the next time, the newest of them", async () => {
  const world = { isBroken: true, ids: [] as string[] };
  const rules = {
    async remember(records: Records) {
      if (world.isBroken) throw new Error("the disk is full");
      world.ids = records.flatMap(({ traces }) => traces.map(({ id }) => id));
    },
  } as unknown as Needs["rules"];
  const latest = createLatestTraces({ rules });
  for (let n = 0; n < 15; n++) latest.add("rule", trace(`early ${n}`, n));
  await expect(latest.flush()).rejects.toThrow("full");
  for (let n = 0; n < 15; n++) latest.add("rule", trace(`late ${n}`, 100 + n));
  await expect(latest.flush()).rejects.toThrow("full");
  world.isBroken = false;
  await latest.flush();
  expect([world.ids.length, world.ids.slice(0, 2), world.ids.at(-1)]).toEqual([
    20,
    ["early 10", "early 11"],
    "late 14",
  ]);
  world.ids = [];
  await latest.flush();
  expect(world.ids).toEqual([]);
});
