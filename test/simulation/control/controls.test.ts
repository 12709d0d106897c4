import { expect, test } from "vitest";
import { NEVER_WRITTEN } from "#core/control/control-writer.ts";
import { roundsOf } from "../../support/rounds.ts";
import { RULES, type Rules } from "./control-world.ts";
import { playControlSchedule } from "./play-control-schedule.ts";

test("no claim outlives its lease, no limit is broken, and the fallback comes at the end", () => {
  for (let seed = 1; seed <= roundsOf("schedules of controls"); seed += 1) {
    expect({ seed, violations: playControlSchedule(seed) }).toEqual({ seed, violations: [] });
  }
});

const { applyLimits, resolveClaims, planWrite, writeEnded, reconnected } = RULES;
const BUGS: Readonly<Record<string, Partial<Rules>>> = {
  "a claim counts after its lease": {
    resolveClaims: (control, claims, now) => resolveClaims(control, claims, now - 20_000),
  },
  "limits are ignored": {
    resolveClaims: (control, claims, now) =>
      resolveClaims(
        control,
        claims.filter(({ kind }) => kind === "target"),
        now,
      ),
  },
  "interlocks are ignored": { applyLimits: (_control, { claims }) => ({ claims, heldFrom: undefined }) },
  "interlocks act only on devices that somebody claims": {
    applyLimits: (control, given, moment) =>
      given.claims.length > 0 ? applyLimits(control, given, moment) : { claims: given.claims, heldFrom: undefined },
  },
  "the fallback passes by interlocks": {
    applyLimits: (control, given, moment) =>
      applyLimits(control, { ...given, state: { ...given.state, isHeld: false } }, moment),
  },
  "claims may do anything before something is known": {
    applyLimits: (control, given, { limits, now }) =>
      applyLimits(control, given, { limits: limits.filter(({ isWaiting }) => isWaiting !== true), now }),
  },
  "the fallback does not wait for what is not known yet": {
    applyLimits: (control, given, { limits, now }) =>
      applyLimits(control, given, { limits: limits.map((one) => ({ ...one, isWaiting: false })), now }),
  },
  "what is not known yet is told to devices that nobody controls": {
    applyLimits: (control, given, { limits, now }) =>
      applyLimits(control, given, {
        limits: limits.map((one) => ({ ...one, isHolding: one.isHolding || one.isWaiting === true })),
        now,
      }),
  },
  "interlocks count less than people": {
    applyLimits: (control, given, { limits, now }) =>
      applyLimits(control, given, {
        now,
        limits: limits.map((one) => ({ ...one, claim: { ...one.claim, class: "rule" } })),
      }),
  },
  "the youngest of a class wins": {
    resolveClaims: (control, claims, now) =>
      resolveClaims(
        control,
        claims.map((claim) => ({ ...claim, createdAt: -claim.createdAt })),
        now,
      ),
  },
  "classes do not count": {
    resolveClaims: (control, claims, now) =>
      resolveClaims(
        control,
        claims.map((claim) => ({ ...claim, class: "rule" })),
        now,
      ),
  },
  "0 is taken for nothing": {
    resolveClaims: (control, claims, now) =>
      resolveClaims(
        control,
        claims.map((claim) => ({ ...claim, value: claim.value || null })),
        now,
      ),
  },
  "a write waits for a device that is away": {
    planWrite: (control, state, situation) => planWrite(control, state, { ...situation, isReachable: true }),
  },
  "the ramp does not keep the limits": {
    planWrite: (control, state, situation) =>
      planWrite(control, state, { ...situation, bounds: { min: -Infinity, max: Infinity } }),
  },
  "writes come too fast": {
    planWrite: (control, state, situation) => planWrite({ ...control, intervalMs: 0 }, state, situation),
  },
  "a second write does not wait for the first": {
    planWrite: (control, state, situation) => planWrite(control, { ...state, writing: undefined }, situation),
  },
  "nothing is refreshed": {
    planWrite: (control, state, situation) =>
      planWrite({ ...control, refreshMs: undefined, reads: undefined }, state, situation),
  },
  "everything is refreshed at once": {
    planWrite: (control, state, situation) => planWrite({ ...control, refreshMs: 1000 }, state, situation),
  },
  "the fallback is forgotten": {
    planWrite: (control, state, situation) => planWrite({ ...control, fallback: undefined }, state, situation),
  },
  "a failed write counts as done": { writeEnded: (state) => writeEnded(state, true) },
  "a restart forgets what is owed": { restarted: () => NEVER_WRITTEN },
  "a write before a kill counts as done": { restarted: (state) => writeEnded(state, true) },
  "a restart waits for a write of the past": { restarted: (state) => state },
  "a device that comes back keeps what it lost": {
    reconnected: (state) => (state.isHeld ? state : reconnected(state)),
    planWrite: (control, state, situation) =>
      planWrite({ ...control, reads: undefined, refreshMs: undefined }, state, situation),
  },
};

test.each(Object.entries(BUGS))("the schedules notice: %s", (_, rules) => {
  const found = Array.from({ length: 600 }, (_unused, index) => index + 1).some(
    (seed) => playControlSchedule(seed, rules).length > 0,
  );
  expect(found).toBe(true);
});
