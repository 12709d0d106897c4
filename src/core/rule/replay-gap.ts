// What happened to the level while the rule was not running, by stored telemetry: so `for` goes on over a restart if the value really
// stayed. What is not stored is unknown, and does not count.
import { advanceFor, type Held } from "./advance-level.ts";
import { evaluateRuleCondition } from "./evaluate-rule-condition.ts";
import type { AttributeRead, DeclarativeRule } from "./rule.ts";
import { conditionReads } from "./rule-reads.ts";
import type { RuleHistory, RuleWorld } from "./rule-world.ts";
import { allOf } from "./truth.ts";

/** Beyond so many changes the rest is taken as unknown. */
const MOST_LOOKS = 20_000;
/** How long before the gap a value may have come that still counts in it. */
const BEFORE_MS = 3_600_000;

interface Gap {
  readonly from: number;
  /** The minimum time: before this moment the rule stays on. */
  readonly onUntil: number;
  readonly world: RuleWorld;
  readonly history: RuleHistory;
}

interface Remembered extends Held {
  readonly memory: ReadonlyMap<string, boolean>;
}

interface Replayed extends Remembered {
  /** At some moment the rule would have turned off. */
  readonly wasFalse: boolean;
}

export function replayGap(rule: DeclarativeRule, before: Remembered, gap: Gap): Replayed {
  const { from, world } = gap;
  const reads = [...conditionReads(rule.level), ...conditionReads(rule.condition)];
  const stored = reads.flatMap((part) => part.attributes ?? []).map((attribute) => storedOf(attribute, gap));
  const times = [...new Set(stored.flatMap(({ samples }) => samples.map(({ at }) => at)))]
    .filter((at) => at > from && at < world.now)
    .sort((a, b) => a - b);
  let { memory, ...held } = before;
  let wasFalse = false;
  let [at, next] = [from, 0];
  for (let looks = 0; at < world.now; looks += 1) {
    if (looks === MOST_LOOKS) return { ...advanceFor(held, undefined, at), memory, wasFalse };
    const past = worldAt(world, stored, at);
    const when = evaluateRuleCondition(rule.level, memory, past);
    const also = evaluateRuleCondition(rule.condition, memory, past);
    memory = new Map([...when.memory, ...also.memory]);
    held = advanceFor(held, when.truth, at);
    while ((times[next] ?? world.now) <= at && next < times.length) next += 1;
    at = Math.max(at + 1, Math.min(times[next] ?? world.now, when.until, also.until));
    // It was so up to this moment.
    wasFalse ||= allOf([when.truth, also.truth]) === false && Math.min(at, world.now) > gap.onUntil;
  }
  return { ...held, memory, wasFalse };
}

interface Stored extends AttributeRead {
  readonly samples: readonly { readonly at: number; readonly value: unknown }[];
  readonly usualMs: number | undefined;
}

function storedOf(attribute: AttributeRead, { from, world, history }: Gap): Stored {
  const { device, attribute: name, unit } = attribute;
  const samples = history(attribute, from - BEFORE_MS, world.now) ?? [];
  return { ...attribute, samples, usualMs: world.reading(device, name, unit)?.usualMs };
}

/** As it was then. Only telemetry is stored; the rest is unknown. */
function worldAt(world: RuleWorld, stored: readonly Stored[], now: number): RuleWorld {
  return {
    now,
    timezone: world.timezone,
    location: world.location,
    nextCron: world.nextCron,
    calendar: world.calendar,
    price: world.price,
    reading: (device, attribute, unit) => {
      const found = stored.find((one) => one.device === device && one.attribute === attribute && one.unit === unit);
      const sample = found && lastBefore(found.samples, now);
      return sample && { ...sample, usualMs: found.usualMs };
    },
    samples: (device, attribute, { unit, from }) => {
      const found = stored.find((one) => one.device === device && one.attribute === attribute && one.unit === unit);
      return found && samplesBetween(found.samples, from, now);
    },
    isOnline: () => undefined,
    alerts: () => undefined,
    variable: () => undefined,
    control: () => undefined,
  };
}

/** From the one that held at `from` to the last one. */
export function samplesBetween<Sample extends { readonly at: number }>(
  samples: readonly Sample[],
  from: number,
  to: number,
): readonly Sample[] {
  return samples.slice(Math.max(countUntil(samples, from) - 1, 0), countUntil(samples, to));
}

/** The last one at or before this moment. */
export function lastBefore<Sample extends { readonly at: number }>(
  samples: readonly Sample[],
  now: number,
): Sample | undefined {
  return samples[countUntil(samples, now) - 1];
}

/** How many there are at or before this moment. */
function countUntil(samples: readonly { readonly at: number }[], now: number): number {
  let [low, high] = [0, samples.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((samples[middle]?.at ?? 0) <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}
