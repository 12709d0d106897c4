// The doubtful steps of the counters of a site. Summaries of hours, and what the counter rose by in quarters of an hour, say
// where points have to be looked at.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import { type CounterPoint, type CounterStep, doubtfulSteps, isFalling, isSteep } from "#core/energy/doubtful-steps.ts";
import type { EnergySource } from "#core/energy/energy-sources.ts";
import type { Period } from "#core/energy/parse-period.ts";
import type { CounterRule } from "#core/telemetry/counter-rule.ts";
import { HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import { convert } from "#manifest/units.ts";
import { type ColumnCells, createColumnReader, createReader, NOTHING } from "#service/energy/read-cells.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface DoubtfulSteps {
  readonly steps: readonly (CounterStep & { readonly device: Device; readonly attribute: string })[];
  /** Whether there may be more in the period. */
  readonly isCut: boolean;
}

/** A step at the beginning of the period is compared with points of the day before, unless asked otherwise. */
const BEFORE_MS = 24 * HOUR_MS;
/** Hours of a site whose points are read, and steps that are listed. */
const MAX_HOURS = 48;
const MAX_STEPS = 100;
/** An hour with more points is not looked at: they are in memory meanwhile. */
const MAX_POINTS = 20_000;
/** What a device that does not say its rated power may deliver, W. */
const ANY_POWER = 10_000_000;
/** A device may deliver more than its rated power for a while. */
const OVER_RATED = 2;

type DoubtfulNeeds = Pick<Needs, "telemetry" | "devices">;
type Source = Pick<EnergySource, "counter" | "counterBack"> & {
  readonly device: Device;
  readonly blueprint: Blueprint;
  /** What its counters rose by in each quarter of an hour of the range, where that is known. */
  readonly rises?: ReadonlyMap<string, ColumnCells>;
};

interface Search {
  readonly sources: readonly Source[];
  readonly range: Period;
  /** Somebody has said what the step is, so it is left out. */
  readonly isCorrected?: (deviceId: string, attribute: string, after: CounterPoint) => boolean;
  readonly beforeMs?: number;
}

export async function findDoubtful(
  needs: DoubtfulNeeds,
  call: Call,
  { sources, range, isCorrected = () => false, beforeMs = BEFORE_MS }: Search,
): Promise<DoubtfulSteps> {
  const steps: DoubtfulSteps["steps"][number][] = [];
  let hoursLeft = MAX_HOURS;
  let isCut = false;
  const counters = await Promise.all(
    sources.flatMap((source) =>
      [source.counter, source.counterBack].flatMap((counter) =>
        counter === undefined ? [] : [suspectCounter(needs, call, { source, counter, range, beforeMs })],
      ),
    ),
  );
  for (const { device, attribute, rule, hours } of counters) {
    const looked = hours.filter(({ isLarge }) => !isLarge).slice(0, hoursLeft);
    if (looked.length < hours.length) isCut = true;
    hoursLeft -= looked.length;
    for (const { from, at } of looked) {
      const within = { from: instant(from), to: instant(at + HOUR_MS) };
      const points = await createReader(needs, call, { device, range: within })(attribute, "last", {
        granularityMs: 1,
      });
      const own = doubtfulSteps(rule, points).filter(
        ({ after }) =>
          after.at >= Math.max(at, range.from) && after.at < range.to && !isCorrected(device.id, attribute, after),
      );
      for (const step of own) steps.push({ ...step, device, attribute });
    }
  }
  return { steps: steps.slice(0, MAX_STEPS), isCut: isCut || steps.length > MAX_STEPS };
}

interface Suspected {
  readonly source: Source;
  readonly counter: NonNullable<Source["counter"]>;
  readonly range: Period;
  readonly beforeMs: number;
}

/** A counter, and its hours whose points have to be looked at. */
async function suspectCounter(needs: DoubtfulNeeds, call: Call, { source, counter, range, beforeMs }: Suspected) {
  const { device } = source;
  const rule: CounterRule = { maxPerHour: (await powerOf(needs, source)) / counter.factor };
  const attribute = counter.id;
  const rises = source.rises?.get(attribute);
  const hours = await suspiciousHours(needs, call, { device, attribute, range, rule, beforeMs, rises });
  return { device, attribute, rule, hours };
}

/** W */
async function powerOf({ devices }: DoubtfulNeeds, { device, blueprint }: Source): Promise<number> {
  const unit = blueprint.properties.get("rated_power")?.unit;
  const values = unit === undefined ? [] : ((await devices.properties([device.id])).get(device.id) ?? []);
  const value = values.find(({ name }) => name === "rated_power")?.value;
  const watts = unit === undefined || typeof value !== "number" ? undefined : convert(value, unit, "W");
  return watts === undefined || watts <= 0 ? ANY_POWER : watts * OVER_RATED;
}

interface Asked {
  readonly device: Device;
  readonly attribute: string;
  readonly range: Period;
  readonly rule: CounterRule;
  readonly beforeMs: number;
  readonly rises: ColumnCells | undefined;
}

/** Hours to look at, each with the start of the hour that its first point is compared with. */
async function suspiciousHours(
  needs: DoubtfulNeeds,
  call: Call,
  { device, attribute, range, rule, beforeMs, rises }: Asked,
): Promise<readonly { readonly from: number; readonly at: number; readonly isLarge: boolean }[]> {
  const wide = { from: instant(range.from - beforeMs), to: range.to };
  const read = createColumnReader(needs, call, { device, range: wide });
  const columns = (["first", "last", "min", "max", "count"] as const).map((aggregation) => ({
    attribute,
    aggregation,
    granularityMs: HOUR_MS,
  }));
  const quarters = { attribute, aggregation: "delta", granularityMs: QUARTER_MS } as const;
  const rose = rises ?? (await createColumnReader(needs, call, { device, range })([quarters]))[0] ?? NOTHING;
  const steep = new Set<number>();
  const { times, values } = rose;
  for (let n = 0; n < times.length; n++) {
    if (isSteep(rule, values[n] ?? 0)) steep.add(Math.floor((times[n] ?? 0) / HOUR_MS) * HOUR_MS);
  }
  // An hour with a value has all five.
  const [first = NOTHING, last = NOTHING, min = NOTHING, max = NOTHING, count = NOTHING] = await read(columns);
  const found: { from: number; at: number; isLarge: boolean }[] = [];
  for (let n = 0; n < first.times.length; n++) {
    const at = first.times[n] ?? 0;
    const hour = {
      first: first.values[n] ?? 0,
      min: min.values[n] ?? 0,
      max: max.values[n] ?? 0,
      last: last.values[n] ?? 0,
    };
    const isSuspicious = steep.has(at) || isFalling(hour, n === 0 ? undefined : last.values[n - 1]);
    if (at + HOUR_MS <= range.from || !isSuspicious) continue;
    const before = Math.max(0, n - 1);
    const isLarge = (count.values[n] ?? 0) + (count.values[before] ?? 0) > MAX_POINTS;
    found.push({ from: first.times[before] ?? at, at, isLarge });
  }
  return found;
}
