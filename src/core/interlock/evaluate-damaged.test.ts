import { expect, test } from "vitest";
import type { Control } from "#core/control/control.ts";
import { SITE } from "../../../test/support/interlock-site.ts";
import { evaluateDamaged, safeLimit } from "./evaluate-damaged.ts";

function control(changes: Partial<Control>): Control {
  const found = SITE.device("charger")?.controls.get("power");
  if (found === undefined) throw new Error("the charger has no power");
  return { ...found, ...changes };
}

test.each([
  ["zero", -5_000, 5_000, { min: 0, max: 0 }],
  ["zero", 0, 11_000, { max: 0 }],
  ["zero", 60, 100, { max: 60 }],
  ["zero", -100, -10, { min: -10 }],
  ["zero", -Infinity, Infinity, { min: 0, max: 0 }],
  ["min", 10, 20, { max: 10 }],
  ["max", 10, 20, { min: 20 }],
  ["min", -Infinity, 20, { min: 0, max: 0 }],
] as const)("with the safe side %s, a control from %d to %d is held by %o", (safe, min, max, expected) => {
  const { min: low, max: high } = safeLimit("d", control({ safe, min, max }));
  expect({ min: low, max: high }).toEqual({ min: undefined, max: undefined, ...expected });
});

test("it holds until it is cured, and says how", () => {
  const resolved = { kind: "damaged", limits: [safeLimit("d", control({}))] } as const;
  const first = evaluateDamaged(resolved, undefined, { now: 1_000 });
  const { outcome } = evaluateDamaged(resolved, first.memory, { now: 9_000 });
  expect(outcome).toMatchObject({
    state: "damaged",
    since: 1_000,
    limits: [{ kind: "max", value: 0, isHolding: true }],
  });
  expect(outcome.why).toContain("set it again or remove it");
});
