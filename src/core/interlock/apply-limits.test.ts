import { expect, test } from "vitest";
import type { Control } from "#core/control/control.ts";
import { SITE } from "../../../test/support/interlock-site.ts";
import { applyLimits, isAllowed, limitClaim } from "./apply-limits.ts";

/** It runs from 60 to 100 or not at all. */
function machine(): Control {
  const found = SITE.device("charger")?.controls.get("power");
  if (found === undefined) throw new Error("the charger has no power");
  return { ...found, min: 60, max: 100, fallback: undefined };
}

const limit = (kind: "min" | "max", value: number) => ({
  claim: limitClaim({
    name: "hot",
    class: "interlock",
    reason: "",
    deviceId: "d",
    control: "power",
    kind,
    value,
    since: 0,
  }),
  isHolding: true,
});
const limits = [0, 60].map((value) => limit("max", value));

test.each([
  [0, false],
  [59, false],
  [60, false],
  [61, true],
  [100, true],
])("a machine that nobody claims and that runs at %d is told something: %s", (current, isTold) => {
  for (const one of limits) {
    const given = { claims: [], state: { isHeld: false, sent: undefined }, current, heldFrom: undefined };
    expect(applyLimits(machine(), given, { limits: [one], now: 0 }).claims.length > 0).toBe(isTold);
    expect(isAllowed(machine(), [one], { value: current, now: 0 })).toBe(!isTold);
  }
});

test.each([
  ["min", 79.999_999, false],
  ["min", 79.999_999_99, true],
  ["min", 80, true],
  ["max", 80, true],
  ["max", 80.000_000_01, true],
  ["max", 80.000_001, false],
] as const)("a limit of %s 80 is kept at %d: %s, whatever rounding does to it", (kind, value, isKept) => {
  expect(isAllowed(machine(), [limit(kind, 80)], { value, now: 0 })).toBe(isKept);
});
