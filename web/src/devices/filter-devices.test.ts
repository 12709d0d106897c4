import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { type DeviceFilter, filterDevices, filterOptions, type Listed, treeOf } from "./filter-devices.ts";

const device = (
  id: string,
  more: { parent?: string; child?: string; category?: string; profiles?: readonly string[]; away?: boolean } = {},
): Listed => ({
  id,
  resource: { name: `Device ${id}`, slug: id, parent_id: more.parent ?? null, child_type: more.child ?? null },
  manifest: readManifest({ category: more.category, implements: more.profiles }),
  connectivity: more.away === true ? "OFFLINE" : "ONLINE",
});
const NOTHING: DeviceFilter = {
  text: undefined,
  category: undefined,
  profile: undefined,
  parent: undefined,
  childType: undefined,
  connectivity: undefined,
};
const DEVICES = [
  device("a", { category: "sensors", profiles: ["device", "sensor.rain"] }),
  device("b", { parent: "a", child: "string", away: true }),
  device("c", { parent: "b", child: "module" }),
  device("d", { parent: "gone" }),
];
const ids = (filter: Partial<DeviceFilter>) =>
  filterDevices(DEVICES, { ...NOTHING, ...filter })
    .map(({ id }) => id)
    .join("");

test.each([
  [{}, "abcd"],
  [{ text: "DEVICE B" }, "b"],
  [{ category: "sensors" }, "a"],
  [{ category: "none" }, "bcd"],
  [{ profile: "sensor.rain" }, "a"],
  [{ parent: "a" }, "b"],
  [{ parent: "none" }, "a"],
  [{ childType: "module" }, "c"],
  [{ connectivity: "OFFLINE" }, "b"],
])("the filter %j leaves %s", (filter, expected) => {
  expect(ids(filter)).toBe(expected);
});

test("children stand below their parents, and none is lost", () => {
  expect(treeOf(DEVICES).map(({ device: { id }, depth }) => `${id}${depth}`)).toEqual(["a0", "b1", "c2", "d0"]);
});

test("a circle of parents does not hang", () => {
  const circle = [device("x", { parent: "y" }), device("y", { parent: "x" })];
  expect(treeOf(circle).map(({ device: { id }, depth }) => `${id}${depth}`)).toEqual(["x0", "y1"]);
});

test("the choices of a filter are what devices have", () => {
  const { categories, profiles, parents, childTypes } = filterOptions(DEVICES);
  expect({ categories, profiles, parents: parents.map(({ id }) => id), childTypes }).toEqual({
    categories: ["none", "sensors"],
    profiles: ["device", "sensor.rain"],
    parents: ["a", "b"],
    childTypes: ["module", "string"],
  });
});
