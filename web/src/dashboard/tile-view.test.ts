import { expect, test } from "vitest";
import type { DashboardTile } from "#client/resources.ts";
import { readManifest } from "#web/data/manifest.ts";
import { missingIn, tileName } from "./tile-view.ts";

const meter = {
  name: "Meter",
  hasManifest: true,
  manifest: readManifest({
    telemetry: { power: { type: "float", display_name: "Power" } },
    commands: { stop: { display_name: "Stop" } },
  }),
};
const find = (name: string) => (name === "meter" ? meter : undefined);
const WORDS = {
  flow: "Flow",
  energy: "Energy",
  energyWeek: "Energy of the week",
  energyMonth: "Energy of the month",
  energyYear: "Energy of the year",
  text: "Text",
};
const tile = (fields: Partial<DashboardTile>): DashboardTile => ({
  id: "a",
  kind: "value",
  width: 1,
  height: 1,
  ...fields,
});
const series = (device: string, attribute: string) => [{ device, attribute }];

test.each([
  [tile({ series: series("meter", "power") }), undefined, "Power"],
  [tile({ series: series("gone", "power") }), { what: "device", name: "gone" }, "power"],
  [tile({ series: series("meter", "constructor") }), { what: "attribute", name: "constructor" }, "constructor"],
  [tile({ kind: "command", device: "meter", command: "stop" }), undefined, "Stop"],
  [tile({ kind: "command", device: "meter", command: "explode" }), { what: "command", name: "explode" }, "explode"],
  [tile({ kind: "command", device: "gone", command: "stop" }), { what: "device", name: "gone" }, "stop"],
  [tile({ kind: "control", device: "meter", control: "limit" }), undefined, "limit"],
  [tile({ kind: "control", device: "gone", control: "limit" }), { what: "device", name: "gone" }, "limit"],
  [tile({ kind: "flow" }), undefined, "Flow"],
  [tile({ kind: "energy" }), undefined, "Energy"],
  [tile({ kind: "energy", range: "month" }), undefined, "Energy of the month"],
  [tile({ kind: "text", text: " \nHello\nyou" }), undefined, "Hello"],
  [tile({ kind: "text", text: "" }), undefined, "Text"],
  [tile({ kind: "curve", series: [...series("meter", "power"), ...series("gone", "x")] }), undefined, "Power +1"],
  [tile({ title: "Mine", kind: "flow" }), undefined, "Mine"],
])("%j lacks %j and is called %s", (given, missing, name) => {
  expect([missingIn(given, find), tileName(given, find, WORDS)]).toEqual([missing, name]);
});

test("while a manifest is read, nothing is missing", () => {
  const unread = { ...meter, hasManifest: false, manifest: readManifest({}) };
  expect(missingIn(tile({ series: series("meter", "power") }), () => unread)).toBeUndefined();
});
