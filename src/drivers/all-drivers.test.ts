import { existsSync, globSync } from "node:fs";
import { expect, test } from "vitest";
import { createByteBudget } from "#core/share/byte-budgets.ts";
import { PEER_KINDS } from "#manifest/scenario/peers.ts";
import { ALL_DRIVERS } from "./all-drivers.ts";
import { openDrivers } from "./open-drivers.ts";

const here = new URL("./", import.meta.url);

test("every folder of a driver is listed under its name", () => {
  const folders = globSync("*/prelude.lua", { cwd: here }).map((path) => path.split("/")[0]);
  expect(ALL_DRIVERS.map(({ name }) => name).sort()).toEqual(folders.sort());
});

test.each(ALL_DRIVERS)("the folder of $name is complete", async ({ name, libraries, signatures }) => {
  for (const file of ["docs.md", "objects.lua"]) expect(existsSync(new URL(`${name}/${file}`, here)), file).toBe(true);
  const { tables } = await signatures();
  expect(Object.keys(tables).filter((table) => !table.includes("."))).toEqual(libraries);
});

test("each kind of peer that a scenario can have is one driver's", async () => {
  const peers = await Promise.all(ALL_DRIVERS.map((driver) => driver.peer()));
  expect(peers.flatMap((one) => Object.keys(one.peers)).sort()).toEqual([...PEER_KINDS].sort());
});

test("calls that prove nothing about the other side exist", () => {
  const ports = { call: async () => undefined, close() {} };
  const inboxes = createByteBudget("inboxes", 1);
  const open = openDrivers({ rules: () => [], ports, inboxes, now: () => 0 });
  const calls = new Set(open.flatMap((driver) => Object.keys(driver.calls)));
  const named = ALL_DRIVERS.flatMap(({ opening, local }) => [...opening, ...local]);
  expect(named.filter((name) => !calls.has(name))).toEqual([]);
  for (const driver of open) driver.close();
});
