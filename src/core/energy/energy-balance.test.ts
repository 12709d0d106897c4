import { expect, test } from "vitest";
import { balanceOf, type DeviceFlow, groupsOf } from "./energy-balance.ts";
import type { EnergyGroup, EnergyRole } from "./energy-sources.ts";

/** `production 10, grid 4/6`: what flowed forward and backward; `?` is unknown. */
function flows(text: string): readonly DeviceFlow[] {
  return text.split(", ").map((one) => {
    const [name = "", amounts = ""] = one.split(" ");
    const [role = "", group] = name.split(":");
    const [forward, backward = 0] = amounts.split("/").map((part) => (part === "?" ? undefined : Number(part)));
    return {
      role: role as EnergyRole,
      group: group as EnergyGroup | undefined,
      forward,
      backward: amounts.includes("/?") ? undefined : backward,
    };
  });
}

test.each([
  ["production 10, grid 4/6", { produced: 10, used: 8, selfUsed: 4, selfConsumption: 0.4, selfSufficiency: 0.5 }],
  ["production 6, production 4, grid 0/0, battery 1/3", { produced: 10, used: 8, charged: 3, discharged: 1 }],
  // Loads are part of what the site used.
  ["grid 5/0, load 2", { produced: 0, used: 5, fromGrid: 5, selfConsumption: undefined, selfSufficiency: 0 }],
  ["production 10", { produced: 10, used: undefined, fromGrid: undefined, selfUsed: undefined }],
  ["production ?, grid 1/0", { produced: undefined, used: undefined, fromGrid: 1 }],
  ["production 10, grid ?/?", { produced: 10, fromGrid: undefined, used: undefined, selfUsed: undefined }],
  // Clocks of meters differ a little.
  ["production 10, grid 0/10.1", { used: 0, selfUsed: 0, selfConsumption: 0 }],
])("devices %s give %j", (given, expected) => {
  expect(balanceOf(flows(given))).toMatchObject(expected);
});

test.each([
  ["production:solar 6, production:production 4, grid 2/0, load:car 3, load:hydrogen 2, load:load 1", "6 4 3 2 1 6"],
  // Without loads, everything used is the rest; without a meter nobody knows the rest.
  ["production:solar 6, grid 0/1", "6 0 0 0 0 5"],
  ["production:solar 6, load:car 3", "6 0 3 0 0 ?"],
  ["grid 5/0, load:car ?, load:load 2", "0 0 ? 0 2 ?"],
  // Clocks of meters differ a little.
  ["grid 5/0, load:car 5.1", "0 0 5.1 0 0 0"],
])("devices %s give the groups %s", (given, expected) => {
  const all = flows(given);
  const { solar, production, car, hydrogen, load, rest } = groupsOf(all, balanceOf(all));
  expect([solar, production, car, hydrogen, load, rest].map((one) => one ?? "?").join(" ")).toBe(expected);
});
