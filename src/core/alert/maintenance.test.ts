import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { silencedUntil } from "./maintenance.ts";

/** `site 1-5` or `pump 1-5`, by commas. */
function windows(text: string) {
  return text.split(", ").flatMap((one) => {
    const [who = "", times = ""] = one.split(" ");
    const [from = 0, until = 0] = times.split("-").map(Number);
    const deviceId = who === "site" ? undefined : who;
    return one === "" ? [] : [{ deviceId, from: instant(from), until: instant(until) }];
  });
}

test.each([
  ["", "pump", 3, undefined],
  ["site 1-5", "pump", 3, 5],
  ["site 1-5", "pump", 0, undefined],
  ["site 1-5", "pump", 1, 5],
  ["site 1-5", "pump", 5, undefined],
  ["pump 1-5", "pump", 3, 5],
  ["pump 1-5", "heater", 3, undefined],
  ["gateway 1-5", "pump,gateway", 3, 5],
  ["site 1-5, site 2-9", "pump", 3, 9],
  ["site 5-9, site 1-5", "pump", 3, 9],
  ["site 1-5, site 6-9", "pump", 3, 5],
  ["site 1-5, heater 4-9", "pump", 3, 5],
  ["site 1-9, site 2-4", "pump", 3, 9],
] as const)("of the windows [%s] %s at %i is silenced until %s", (given, chain, now, until) => {
  expect(silencedUntil(windows(given), chain.split(","), now)).toBe(until);
});
