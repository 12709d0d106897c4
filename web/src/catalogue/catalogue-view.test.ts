import { expect, test } from "vitest";
import type { CatalogueEntry } from "#client/resources.ts";
import { byCategory, filterEntries, mailAddress, profilesOf, webAddress } from "./catalogue-view.ts";

const entry = (id: string, change: Partial<CatalogueEntry> = {}, profiles: readonly string[] = []): CatalogueEntry => ({
  id,
  source: "examples",
  blueprint_id: null,
  display_name: id,
  description: "",
  category: null,
  icon: null,
  author: null,
  contributors: [],
  support: { url: null, email: null },
  license: null,
  runtime: "lua",
  requires: [],
  offers: { profiles, properties: 0, telemetry: 0, commands: 0, alerts: 0, configuration: 0 },
  ...change,
});

const ENTRIES = [
  entry("none"),
  entry("sun", { category: "solar-generators", runtime: "embedded" }, ["energy.inverter.pv"]),
  entry("box", { category: "battery-systems", source: "upload" }, ["energy.battery", "device"]),
  entry("rack", { category: "battery-systems" }, ["energy.battery"]),
];
const ids = (entries: readonly CatalogueEntry[]) => entries.map(({ id }) => id);

test("groups have the order of the manifest language, and those without a category are last", () => {
  expect(byCategory(ENTRIES).map(({ category, entries }) => [category, ids(entries)])).toEqual([
    ["battery-systems", ["box", "rack"]],
    ["solar-generators", ["sun"]],
    [undefined, ["none"]],
  ]);
});

test.each([
  [{}, ["none", "sun", "box", "rack"]],
  [{ source: "upload" }, ["box"]],
  [{ runtime: "embedded" }, ["sun"]],
  [{ profile: "energy.battery" }, ["box", "rack"]],
  [{ profile: "energy.battery", source: "examples" }, ["rack"]],
  [{ source: "nowhere" }, []],
])("%j finds %j", (filter, expected) => {
  const whole = { source: undefined, runtime: undefined, profile: undefined, ...filter };
  expect(ids(filterEntries(ENTRIES, whole))).toEqual(expected);
});

test("profiles are listed once", () => {
  expect(profilesOf(ENTRIES)).toEqual(["device", "energy.battery", "energy.inverter.pv"]);
});

test.each([
  ["https://help.example/a?b", "https://help.example/a?b"],
  ["javascript:alert(1)", undefined],
  ["help", undefined],
  [null, undefined],
])("the address %s is the link %s", (text, link) => {
  expect(webAddress(text)).toBe(link);
});

test.each([
  ["help@acme.example", "mailto:help@acme.example"],
  ["help@acme.example?bcc=all@x", undefined],
  ["nobody", undefined],
  [null, undefined],
])("the mail address %s is the link %s", (text, link) => {
  expect(mailAddress(text)).toBe(link);
});
