// What a rule would have done with stored telemetry, in virtual time: by the very machine that runs it, and without any effect.
import type { ClaimBand } from "./claim-bands.ts";
import { playRule } from "./play-rule.ts";
import { lastBefore, samplesBetween } from "./replay-gap.ts";
import type { DeclarativeRule } from "./rule.ts";
import type { RuleEffect } from "./rule-effect.ts";
import { ruleReads } from "./rule-reads.ts";
import type { RuleTrace } from "./rule-trace.ts";
import type { RuleHistory, RuleVariable, RuleWorld } from "./rule-world.ts";

export interface PastSite extends Pick<RuleWorld, "timezone" | "location" | "nextCron"> {
  /** As the calendars are now. Without it nobody knows what they say. */
  readonly calendar?: RuleWorld["calendar"] | undefined;
  /** As prices are known now. Without it nobody knows them. */
  readonly price?: RuleWorld["price"] | undefined;
  /** Rules see nothing before this time, except values that are still fresh then. */
  readonly from: number;
  readonly to: number;
  readonly history: RuleHistory;
  readonly variables: ReadonlyMap<string, RuleVariable>;
  /** Default: 300,000, about three times what a week of a rule with three claims takes. */
  readonly mostSteps?: number;
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
/** Values from before that may still count at the beginning. */
const BEFORE_MS = 24 * 3_600_000;

export function simulateRule(rule: DeclarativeRule, past: PastSite): Simulation {
  const stored = readStored(rule, past);
  const variables = new Map(past.variables);
  const play = playRule({ id: "simulated", rule });
  let [onMs, steps] = [0, 0];
  let now = past.from;
  while (now <= past.to && steps < (past.mostSteps ?? MOST_STEPS)) {
    const event = steps === 0 ? ({ kind: "start", history: undefined } as const) : ({ kind: "tick" } as const);
    const step = play.step(worldAt(past, { stored, variables, now }), event);
    for (const effect of step.effects) {
      if (effect.kind === "set")
        variables.set(effect.variable, { value: effect.value, at: now, causes: effect.causes });
    }
    const next = Math.min(step.nextDue ?? Number.POSITIVE_INFINITY, stored.nextAfter(now), past.to + 1);
    // What a rule sets may start it again.
    const isAgain = step.effects.some(({ kind }) => kind === "set");
    const after = isAgain ? Math.min(next, now + 1) : next;
    if (step.state.isOn) onMs += Math.min(after, past.to) - now;
    now = after;
    steps += 1;
  }
  const simulatedTo = Math.min(now, past.to);
  const { effects, started } = play;
  return {
    started: started(),
    onMs,
    bands: play.bands.endAt(simulatedTo),
    effects,
    traces: play.traces(),
    simulatedTo,
  };
}

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
  { timezone, location, nextCron, calendar = () => undefined, price = () => undefined }: PastSite,
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
    price,
    reading: stored.reading(now),
    samples: stored.samples(now),
    variable: (name) => variables.get(name),
    isOnline: () => undefined,
    alerts: () => undefined,
    control: () => undefined,
  };
}
