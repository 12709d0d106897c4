import { expect, test } from "vitest";
import { CATEGORIES } from "#core/blueprint/vocabulary.ts";
import { groupByCategory, groupTrees } from "./group-devices.ts";

const device = (text: string) => {
  const [id = "", category] = text.split("=");
  return { id, manifest: { category } };
};
const grouped = (text: string) =>
  groupByCategory(text.split(" ").filter(Boolean).map(device))
    .map(({ category, devices }) => `${category ?? "none"}:${devices.map(({ id }) => id).join("")}`)
    .join(" ");

test.each([
  ["", ""],
  ["a b=loads c=solar-generators d", "solar-generators:c loads:b none:ad"],
  ["a=sensors b=battery-systems c=sensors", "battery-systems:b sensors:ac"],
  ["a=zeta b c=alpha d=networking", "networking:d alpha:c zeta:a none:b"],
  ["a=constructor b=loads", "loads:b constructor:a"],
])("the devices [%s] are the groups [%s]", (given, expected) => {
  expect(grouped(given)).toBe(expected);
});

test("every category has a place of its own", () => {
  const given = CATEGORIES.map((category) => device(`x=${category}`));
  const order = groupByCategory(given).map(({ category }) => category);
  expect(order.toSorted()).toEqual(CATEGORIES.toSorted());
  expect(order[0]).toBe("solar-generators");
});

test("children of a tree stay below their parents, whatever their own category is", () => {
  const rows = [
    { device: device("a=sensors"), depth: 0 },
    { device: device("b"), depth: 1 },
    { device: device("c=loads"), depth: 2 },
    { device: device("d=loads"), depth: 0 },
  ];
  const shown = groupTrees(rows).map((group) => `${group.category}:${group.rows.map((row) => row.device.id).join("")}`);
  expect(shown).toEqual(["loads:d", "sensors:abc"]);
});
