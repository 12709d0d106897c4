import { expect, test } from "vitest";
import type { Blueprint, Device } from "#client/resources.ts";
import { filterBlueprints, namedBlueprints, otherVersion } from "./blueprint-view.ts";

const blueprint = (id: string, display_name: string, version: number, profiles: readonly string[] = []): Blueprint => ({
  id,
  display_name,
  digest: "",
  size: 0,
  version,
  implements: profiles,
  created_at: "2026-11-15T10:00:00Z",
  uploaded_by: null,
  built_in: false,
});
const device = (id: string, blueprint_id: string | null) => ({ id, blueprint_id }) as Device;

const NAMED = namedBlueprints(
  [
    blueprint("p1", "Pump", 1),
    blueprint("b1", "Battery", 1, ["energy.battery"]),
    blueprint("p3", "Pump", 3),
    blueprint("p2", "Pump", 2),
  ],
  [device("a", "p1"), device("b", "p3"), device("c", "p3"), device("d", null)],
);

test("versions stand under their name, newest first, each with its devices", () => {
  expect(
    NAMED.map(({ name, versions, deviceCount }) => [
      name,
      versions.map((one) => [one.blueprint.id, one.devices.map(({ id }) => id)]),
      deviceCount,
    ]),
  ).toEqual([
    ["Battery", [["b1", []]], 0],
    [
      "Pump",
      [
        ["p3", ["b", "c"]],
        ["p2", []],
        ["p1", ["a"]],
      ],
      3,
    ],
  ]);
});

test.each([
  [{}, ["Battery", "Pump"]],
  [{ text: "pu" }, ["Pump"]],
  [{ text: "energy.battery" }, ["Battery"]],
  [{ text: "p2" }, ["Pump"]],
  [{ used: "yes" }, ["Pump"]],
  [{ used: "no" }, ["Battery"]],
  [{ text: "pump", used: "no" }, []],
])("%j finds %j", (filter, expected) => {
  const found = filterBlueprints(NAMED, { text: undefined, used: undefined, ...filter });
  expect(found.map(({ name }) => name)).toEqual(expected);
});

test.each([
  ["p3", "p2"],
  ["p2", "p1"],
  ["p1", "p2"],
])("%s is compared with %s", (id, other) => {
  const pump = NAMED.find(({ name }) => name === "Pump");
  expect(pump && otherVersion(pump, id)?.id).toBe(other);
});

test("the only version has nothing to be compared with", () => {
  const battery = NAMED.find(({ name }) => name === "Battery");
  expect(battery && otherVersion(battery, "b1")).toBeUndefined();
});
