import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { newPlant } from "#demo/plant/plant.ts";
import { withFolder } from "../../test/support/run-busbar.ts";
import { type DemoRecord, readDemoRecord, writeDemoRecord } from "./demo-record.ts";

const SITE = { seed: 1, latitude: 40, longitude: 0 };
const { weather: _, grid: _grid, loads: _loads, ...plant } = newPlant(SITE, 1_000);
const RECORD: DemoRecord = {
  siteId: "site",
  plantSite: SITE,
  devices: { battery: { id: "a", blueprintId: "b" } },
  ports: { inverter: 5 },
  history: { origin: 1, from: 2, to: 3, storedFrom: 3 },
  plant,
};

test("a record is read as it was written, and is nobody else's business", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "demo.json");
    expect(await readDemoRecord(file, 1_000)).toBeUndefined();
    await writeDemoRecord(file, RECORD);
    expect(await readDemoRecord(file, 1_000)).toMatchObject(RECORD);
  });
});

test.each<readonly [string, (text: string) => string]>([
  ["half a file", (text) => text.slice(0, 400)],
  ["a plant without a battery", (text) => text.replace('"battery": {\n   "status"', '"battery_": {\n   "status"')],
  ["text where a number belongs", (text) => text.replace('"soc": 55', '"soc": "full"')],
  ["a plant of centuries ago", (text) => text.replace('"at": 1000', '"at": -9e15')],
  ["a history without an end", (text) => text.replace('"origin": 1,', '"origin": -9e15,')],
  ["a history that ends before it begins", (text) => text.replace('"to": 3', '"to": 1')],
  ["nothing of the kind", () => "[]"],
])("%s is refused", async (_what, spoil) => {
  await withFolder(async (folder) => {
    const file = join(folder, "demo.json");
    await writeDemoRecord(file, RECORD);
    const text = readFileSync(file, "utf8");
    expect(spoil(text)).not.toBe(text);
    writeFileSync(file, spoil(text));
    await expect(readDemoRecord(file, 1_000)).rejects.toThrow();
  });
});
