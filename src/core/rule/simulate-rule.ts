// What a rule would have done with stored telemetry, in virtual time: by the very machine that runs it, and without any effect.
import type { ClaimKind } from "#core/control/claim.ts";
import { lastBefore, samplesBetween } from "./replay-gap.ts";
import type { DeclarativeRule } from "./rule.ts";
import type { RuleEffect } from "./rule-effect.ts";
import { ruleReads } from "./rule-reads.ts";
import { NEW_STATE, type RuleState } from "./rule-state.ts";
import { type RuleTrace, recordTraces, type TraceUpdate } from "./rule-trace.ts";
import type { RuleHistory, RuleVariable, RuleWorld } from "./rule-world.ts";
import { stepRule } from "./step-rule.ts";

export interface PastSite extends Pick<RuleWorld, "timezone" | "location" | "nextCron"> {
  /** As the calendars are now. Without it nobody knows what they say. */
  readonly calendar?: RuleWorld["calendar"] | undefined;
  /** Rules see nothing before this time, except values that are still fresh then. */
  readonly from: number;
  readonly to: number;
  readonly history: RuleHistory;
  readonly variables: ReadonlyMap<string, RuleVariable>;
  /** Default: 300,000, about three times what a week of a rule with three claims takes. */
  readonly mostSteps?: number;
}

/** A claim, as long as it had one value. */
export interface ClaimBand {
  readonly device: string;
  readonly control: string;
  readonly claim: ClaimKind;
  readonly value: number | "unlimited";
  readonly from: number;
  readonly to: number;
}

export interface Simulation {
  /** How many times `then` began. */
  readonly started: number;
  readonly onMs: number;
  readonly bands: readonly ClaimBand[];
  /** Commands, messages and variables, and what was reported. Claims are bands. */
  readonly effects: readonly { readonly at: number; readonly effect: RuleEffect }[];
  /** The last ones. */
  readonly traces: readonly RuleTrace[];
  /** Earlier than asked for, if there were too many steps. */
  readonly simulatedTo: number;
}

const MOST_STEPS = 300_000;
const MOST_EFFECTS = 10_000;
const MOST_BANDS = 20_000;
/** Values from before that may still count at the beginning. */
const BEFORE_MS = 24 * 3_600_000;

export function simulateRule(rule: DeclarativeRule, past: PastSite): Simulation {
  const stored = readStored(rule, past);
  const variables = new Map(past.variables);
  const bands = createBands();
  const effects: { at: number; effect: RuleEffect }[] = [];
  const trace: TraceUpdate[] = [];
  let traces: readonly RuleTrace[] = [];
  let [started, onMs, steps] = [0, 0, 0];
  let state: RuleState = NEW_STATE;
  let now = past.from;
  while (now <= past.to && steps < (past.mostSteps ?? MOST_STEPS)) {
    const event = steps === 0 ? ({ kind: "start", history: undefined } as const) : ({ kind: "tick" } as const);
    const step = stepRule({ id: "simulated", rule }, state, {
      world: worldAt(past, { stored, variables, now }),
      event,
    });
    for (const effect of step.effects) {
      if (effect.kind === "claim" || effect.kind === "release") bands.take(effect, now);
      else if (effects.length < MOST_EFFECTS) effects.push({ at: now, effect });
      if (effect.kind === "set")
        variables.set(effect.variable, { value: effect.value, at: now, causes: effect.causes });
    }
    started += step.trace.filter(isStart).length;
    trace.push(...step.trace);
    if (trace.length > 1_000) traces = recordTraces(traces, trace.splice(0));
    state = step.state;
    const next = Math.min(step.nextDue ?? Number.POSITIVE_INFINITY, stored.nextAfter(now), past.to + 1);
    // What a rule sets may start it again.
    const isAgain = step.effects.some(({ kind }) => kind === "set");
    const after = isAgain ? Math.min(next, now + 1) : next;
    if (state.isOn) onMs += Math.min(after, past.to) - now;
    now = after;
    steps += 1;
  }
  const simulatedTo = Math.min(now, past.to);
  return { started, onMs, bands: bands.endAt(simulatedTo), effects, traces: recordTraces(traces, trace), simulatedTo };
}

const isStart = (update: TraceUpdate): boolean =>
  update.kind === "begin" && update.trace.outcome === "ran" && update.trace.branch === "then";

interface Stored {
  /** The time of the next value of any attribute. */
  nextAfter(now: number): number;
  reading(now: number): RuleWorld["reading"];
  samples(now: number): RuleWorld["samples"];
}

function readStored(rule: DeclarativeRule, { history, from, to }: PastSite): Stored {
  const columns = ruleReads(rule).attributes.map((read) => {
    const samples = history(read, from - BEFORE_MS, to) ?? [];
    return { ...read, samples, usualMs: usualInterval(samples) };
  });
  const times = Float64Array.from(columns.flatMap(({ samples }) => samples.map(({ at }) => at))).sort();
  let next = 0;
  return {
    nextAfter: (now) => {
      while ((times[next] ?? Number.POSITIVE_INFINITY) <= now) next += 1;
      return times[next] ?? Number.POSITIVE_INFINITY;
    },
    reading: (now) => (device, attribute, unit) => {
      const found = columns.find((one) => one.device === device && one.attribute === attribute && one.unit === unit);
      const sample = found && lastBefore(found.samples, now);
      return sample && { ...sample, usualMs: found.usualMs };
    },
    samples:
      (now) =>
      (device, attribute, { unit, from }) => {
        const found = columns.find((one) => one.device === device && one.attribute === attribute && one.unit === unit);
        return found && samplesBetween(found.samples, from, now);
      },
  };
}

/** The median of the first intervals. */
export function usualInterval(samples: readonly { readonly at: number }[]): number | undefined {
  const intervals = samples.slice(1, 100).map(({ at }, n) => at - (samples[n]?.at ?? at));
  return intervals.sort((a, b) => a - b)[intervals.length >> 1];
}

function worldAt(
  { timezone, location, nextCron, calendar = () => undefined }: PastSite,
  {
    stored,
    variables,
    now,
  }: { readonly stored: Stored; readonly variables: ReadonlyMap<string, RuleVariable>; readonly now: number },
): RuleWorld {
  return {
    now,
    timezone,
    location,
    nextCron,
    calendar,
    reading: stored.reading(now),
    samples: stored.samples(now),
    variable: (name) => variables.get(name),
    isOnline: () => undefined,
    alerts: () => undefined,
    control: () => undefined,
  };
}

interface OptionalNames {
  readonly control: string | undefined;
  readonly claim: ClaimKind | undefined;
}

interface OpenBand extends Omit<ClaimBand, "to"> {
  readonly leaseUntil: number;
}

/** Claims as bands of time. */
export function createBands() {
  const open = new Map<string, OpenBand>();
  const closed: ClaimBand[] = [];
  const close = (key: string, at: number) => {
    const band = open.get(key);
    open.delete(key);
    if (band === undefined || closed.length >= MOST_BANDS) return;
    const { leaseUntil, ...known } = band;
    closed.push({ ...known, to: Math.min(at, leaseUntil) });
  };
  type Named = Pick<ClaimBand, "device" | "control" | "claim">;
  return {
    /** What is claimed at this moment. */
    claimedAt: ({ device, control, claim }: Named, at: number) => {
      const band = open.get(JSON.stringify([device, control, claim]));
      return band !== undefined && band.leaseUntil >= at ? band.value : undefined;
    },
    /** Undefined: all of them. Answers how many there were. */
    release: ({ device, ...only }: Pick<Named, "device"> & Partial<OptionalNames>, at: number): number => {
      const meant = [...open].filter(
        ([, band]) =>
          band.device === device &&
          (only.control ?? band.control) === band.control &&
          (only.claim ?? band.claim) === band.claim,
      );
      for (const [key] of meant) close(key, at);
      return meant.filter(([, { leaseUntil }]) => leaseUntil >= at).length;
    },
    take: (effect: Extract<RuleEffect, { readonly kind: "claim" | "release" }>, at: number) => {
      const { device, control, claim } = effect;
      const key = JSON.stringify([device, control, claim]);
      if (effect.kind === "release") return close(key, at);
      const { value, leaseUntil } = effect;
      const before = open.get(key);
      const goesOn = before !== undefined && before.value === value && before.leaseUntil >= at;
      if (!goesOn) close(key, at);
      open.set(key, { device, control, claim, value, from: goesOn ? before.from : at, leaseUntil });
      return undefined;
    },
    endAt: (at: number): readonly ClaimBand[] => {
      for (const key of [...open.keys()]) close(key, at);
      return closed.sort((a, b) => a.from - b.from);
    },
  };
}
