import { expect, test } from "vitest";
import { balanceOf, type DeviceFlow } from "./energy-balance.ts";
import type { EnergyRole } from "./energy-sources.ts";

/** `production 10, grid 4/6`: what flowed forward and backward; `?` is unknown. */
function flows(text: string): readonly DeviceFlow[] {
  return text.split(", ").map((one) => {
    const [role = "", amounts = ""] = one.split(" ");
    const [forward, backward = 0] = amounts.split("/").map((part) => (part === "?" ? undefined : Number(part)));
    return { role: role as EnergyRole, forward, backward: amounts.includes("/?") ? undefined : backward };
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
