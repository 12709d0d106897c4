import { expect, test } from "vitest";
import { parseTariff } from "#core/energy/parse-tariff.ts";
import type { Call, Needs } from "#service/ports.ts";
import { giveDemoTariff } from "./demo-tariff.ts";

test("the demo site gets a valid tariff, and one that is there stays", async () => {
  const stored: object[] = [];
  const needs = {
    now: () => 0,
    newId: () => "id",
    tariffs: {
      find: async () => stored.at(0),
      put: async (_siteId: string, { document }: { document: object }) => void stored.push(document),
    },
  } as unknown as Pick<Needs, "tariffs" | "now" | "newId">;
  const call = { caller: { tokenId: "t", tokenName: "n" } } as Call;
  await giveDemoTariff(needs, call, "site");
  await giveDemoTariff(needs, call, "site");
  expect(stored).toHaveLength(1);
  expect(parseTariff(stored[0]).problems).toEqual([]);
});
