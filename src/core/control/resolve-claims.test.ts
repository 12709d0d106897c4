import { expect, test } from "vitest";
import { naiveResolution } from "../../../test/support/naive-resolution.ts";
import { randomFrom } from "../../../test/support/random.ts";
import { roundsOf } from "../../../test/support/rounds.ts";
import { CLAIM_CLASSES, CLAIM_KINDS, type Claim, type ClaimClass, type ClaimKind, type ClaimValue } from "./claim.ts";
import type { Fallback } from "./control.ts";
import { resolveClaims } from "./resolve-claims.ts";

const CONTROL = { min: -100, max: 100, safe: "zero", step: undefined, fallback: undefined } as const;

/** `person=5 grid<3 rule>1`: a target, a maximum, a minimum. In this order of age; `!` has ended. */
function claimsOf(text: string): Claim[] {
  return text.split(" ").flatMap((word, index) => {
    const [, name, sign, value] = /^(\w+)([=<>])(.+?)!?$/.exec(word) ?? [];
    if (name === undefined) return [];
    const kind: ClaimKind = sign === "=" ? "target" : sign === "<" ? "max" : "min";
    const given: ClaimValue = value === "null" ? null : value === "unlimited" ? value : Number(value);
    return [
      {
        id: word,
        deviceId: "d",
        control: "c",
        kind,
        value: given,
        class: name as ClaimClass,
        source: `test:${index}`,
        reason: "",
        leaseUntil: word.endsWith("!") ? 1000 : 2000,
        createdAt: index,
        cause: undefined,
      },
    ];
  });
}

test.each([
  ["", "fallback"],
  ["person=5", "5 by person=5"],
  ["person=5!", "fallback"],
  ["rule=1 person=5", "5 by person=5"],
  ["rule=1 rule=2", "1 by rule=1"],
  ["person=null rule=2", "2 by rule=2"],
  ["person=null", "fallback"],
  ["person=0", "0 by person=0"],
  ["person=500", "100 by person=500"],
  ["person=50 grid<30", "30 by person=50"],
  ["person=50 grid<30 interlock<20", "20 by person=50"],
  ["person=50 grid<unlimited", "50 by person=50"],
  ["grid<unlimited", "fallback"],
  ["person=50 rule<30", "50 by person=50"],
  ["plan=50 rule<30", "30 by plan=50"],
  ["plan=50 rule<30 rule<20", "20 by plan=50"],
  ["interlock<20 grid>50 person=0", "20 by person=0"],
  ["interlock>50 interlock<20 person=80", "20 by person=80 contradicted"],
  ["interlock>50 interlock<-20 person=80", "0 by person=80 contradicted"],
  ["grid<30", "0 by limits"],
  ["grid<-30", "-30 by limits"],
])("[%s] gives %s", (claims, expected) => {
  const { value, winner, isContradicted } = resolveClaims(CONTROL, claimsOf(claims), 1500);
  const by = winner === undefined ? "limits" : winner.id;
  expect(value === undefined ? "fallback" : `${value} by ${by}${isContradicted ? " contradicted" : ""}`).toBe(expected);
});

test("limits without a target keep the value of the fallback inside them, in steps", () => {
  const control = {
    ...CONTROL,
    min: 6,
    max: 32,
    step: 1,
    safe: "min",
    fallback: { kind: "value", value: 32 },
  } as const;
  const value = (claims: string) => resolveClaims(control, claimsOf(claims), 0).value;
  expect([value("grid<16.4"), value("grid>8"), value("plan=10.6")]).toEqual([16, 32, 11]);
  const reset = { command: "reset", arguments: new Map() };
  const limited = (fallback: Fallback) => resolveClaims({ ...control, fallback }, claimsOf("grid<16.4"), 0).value;
  expect(limited({ kind: "command", ...reset, value: 32 })).toBe(16);
  expect(limited({ kind: "command", ...reset, value: undefined })).toBe(6);
});

test("says who lost, and when the next claim ends", () => {
  const { losers, until, bounds } = resolveClaims(
    CONTROL,
    claimsOf("rule=1 person=5 rule<9 grid<50 grid<60 plan=2!"),
    0,
  );
  expect(losers.map(({ id }) => id)).toEqual(["rule=1", "rule<9", "grid<60", "plan=2!"]);
  expect([until, bounds.maxBy?.id, bounds.minBy]).toEqual([1000, "grid<50", undefined]);
});

test("random claims resolve as the plain reference says", () => {
  const random = randomFrom(1);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const small = () => Math.floor(random() * 9) - 4;
  for (let round = 0; round < roundsOf("resolutions of claims"); round += 1) {
    const control = {
      min: pick([-Infinity, -4, -2, 0]),
      max: pick([Infinity, 4, 2]),
      safe: pick(["min", "max", "zero"] as const),
      step: pick([undefined, undefined, 1, 0.5, 2]),
      fallback: pick([undefined, { kind: "value", value: 1 } as const]),
    };
    const claims = Array.from(
      { length: Math.floor(random() * 7) },
      (_, index): Claim => ({
        id: String(index),
        deviceId: "d",
        control: "c",
        kind: pick(CLAIM_KINDS),
        value: pick([small(), small(), small(), 0, null, "unlimited"]),
        class: pick(CLAIM_CLASSES),
        source: "s",
        reason: "",
        leaseUntil: Math.floor(random() * 6),
        createdAt: Math.floor(random() * 3),
        cause: undefined,
      }),
    ).map((claim) => (claim.kind === "target" && claim.value === "unlimited" ? { ...claim, value: null } : claim));
    const { value, winner, isContradicted, bounds } = resolveClaims(control, claims, 2);
    const found = { value, winner: winner?.id, isContradicted, min: bounds.min, max: bounds.max };
    const expected = naiveResolution(control, claims, 2);
    // Comparing a million times by `expect` would take minutes.
    if (JSON.stringify(found) !== JSON.stringify(expected)) expect({ control, claims, found }).toEqual(expected);
  }
});
