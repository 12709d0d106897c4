// Today's energies, from the beginning of the day by the clock of the site.
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { Manifest } from "#web/data/manifest.ts";
import type { Kind } from "./power-readings.ts";

/** Mean power in watts of each bucket; undefined: no value. */
export type PowerSeries = {
  readonly kind: Kind;
  readonly watts: readonly (number | undefined)[];
  /** Unix ms since when the device exists. */
  readonly since: number;
};

/** A counter in kWh (or m³): its first value of today and its latest. */
export type CounterReading = {
  readonly counter: Counter["what"];
  readonly first: number | undefined;
  readonly latest: number | undefined;
};

export type Counter = {
  readonly what: "produced" | "fromGrid" | "toGrid" | "hydrogen";
  readonly deviceId: string;
  readonly attribute: string;
  readonly unit: string;
};

export type Energies = {
  /** kWh each; undefined: unknown. */
  readonly produced: number | undefined;
  readonly used: number | undefined;
  readonly fromGrid: number | undefined;
  readonly toGrid: number | undefined;
  /** Share of the production that was used here, 0 to 1. */
  readonly selfUse: number | undefined;
  /** Normal cubic metres. */
  readonly hydrogen: number | undefined;
  /** Share of the day so far for which values are known, 0 to 1. */
  readonly coverage: number;
};

const COUNTERS: readonly { readonly what: Counter["what"]; readonly field: string; readonly unit: string }[] = [
  { what: "produced", field: "pv_energy_total", unit: "kWh" },
  { what: "fromGrid", field: "grid_energy_import", unit: "kWh" },
  { what: "toGrid", field: "grid_energy_export", unit: "kWh" },
  { what: "hydrogen", field: "hydrogen_total", unit: "m3" },
];

/** Counters of a device that measure one of the day's energies. */
export function countersOf({ id, manifest }: { readonly id: string; readonly manifest: Manifest }): readonly Counter[] {
  return COUNTERS.flatMap(({ what, field, unit }) => {
    const attribute = findAttribute(manifest, field);
    return attribute?.unit === undefined || convert(1, attribute.unit, unit) === undefined
      ? []
      : [{ what, deviceId: id, attribute: attribute.id, unit: attribute.unit }];
  });
}

type Input = {
  /** Unix ms: beginnings of the buckets of `series`, none of them before the day. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly dayStart: number;
  readonly now: number;
  readonly series: readonly PowerSeries[];
  readonly counters: readonly CounterReading[];
  /** Devices of the site that produce by category, so that "no counter" and "nothing to count" differ. */
  readonly kinds: ReadonlySet<Kind>;
};

export function energiesOfToday(input: Input): Energies {
  const { series, kinds } = input;
  const integral = (wanted: readonly Kind[], pick: (watts: number) => number) => integrate(input, wanted, pick);
  const produced =
    kinds.has("solar") || kinds.has("wind") || kinds.has("generator")
      ? (byCounter(input, "produced", kinds.has("wind") || kinds.has("generator")) ??
        integral(["solar", "wind", "generator"], (watts) => Math.max(0, watts)))
      : undefined;
  const fromGrid = byCounter(input, "fromGrid") ?? integral(["grid"], (watts) => Math.max(0, watts));
  const toGrid = byCounter(input, "toGrid") ?? integral(["grid"], (watts) => Math.max(0, -watts));
  const charged = kinds.has("battery") ? integral(["battery"], (watts) => watts) : 0;
  const isKnown = fromGrid !== undefined && toGrid !== undefined && charged !== undefined;
  const used =
    isKnown && (produced !== undefined || !series.some(({ kind }) => kind === "solar"))
      ? Math.max(0, (produced ?? 0) + fromGrid - toGrid - charged)
      : undefined;
  const selfUse =
    produced === undefined || toGrid === undefined || produced < 0.05 ? undefined : clamp(1 - toGrid / produced);
  return {
    produced,
    used,
    fromGrid,
    toGrid,
    selfUse,
    hydrogen: byCounter(input, "hydrogen"),
    coverage: coverageOf(input),
  };
}

/** A counter that fell was replaced or reset: then it tells nothing about today. */
function byCounter({ counters }: Input, what: Counter["what"], isPartial = false): number | undefined {
  const own = counters.filter(({ counter }) => counter === what);
  if (own.length === 0 || isPartial) return undefined;
  let sum = 0;
  for (const { first, latest } of own) {
    if (first === undefined || latest === undefined || latest < first) return undefined;
    sum += latest - first;
  }
  return sum;
}

function integrate(
  { times, bucketMs, now, series }: Input,
  kinds: readonly Kind[],
  pick: (watts: number) => number,
): number | undefined {
  const own = series.filter(({ kind }) => kinds.includes(kind));
  if (own.length === 0) return undefined;
  let wattHours = 0;
  let isKnown = false;
  for (const { watts } of own) {
    for (const [index, at] of times.entries()) {
      const value = watts[index];
      if (value === undefined) continue;
      isKnown = true;
      wattHours += (pick(value) * Math.max(0, Math.min(bucketMs, now - at))) / 3_600_000;
    }
  }
  return isKnown ? wattHours / 1000 : undefined;
}

/** Of the device that lacks most. Before a device existed, or told anything, nothing is expected of it. */
function coverageOf({ times, bucketMs, dayStart, now, series }: Input): number {
  if (series.length === 0) return 0;
  const shares = series.map(({ watts, since }) => {
    const first = times[watts.findIndex((value) => value !== undefined)] ?? now;
    const from = Math.max(dayStart, Math.min(since, first));
    const expected = Math.ceil((now - from) / bucketMs);
    const known = watts.filter((value) => value !== undefined).length;
    return expected <= 0 ? 1 : known / expected;
  });
  return clamp(Math.min(...shares));
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));
