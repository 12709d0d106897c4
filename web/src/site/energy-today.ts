// Today's energies, from the beginning of the day by the clock of the site.
import type { Device } from "#client/resources.ts";
import { convert } from "#manifest/units.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { Manifest } from "#web/data/manifest.ts";
import type { Kind } from "./power-readings.ts";

/** Watt-hours of each bucket of today; undefined: nothing is known of it. */
export type EnergySeries = {
  readonly kind: Kind;
  readonly wattHours: readonly (number | undefined)[];
  /** Unix ms since when the device exists. */
  readonly since: number;
};

/** How much a counter rose in each bucket of today, in kWh or m³. */
export type CounterSeries = {
  readonly what: Counter["what"];
  readonly rises: readonly (number | undefined)[];
  /** What corrections add to it. Points and so rises stay as they are. */
  readonly adjustment?: number;
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

/** What a device is that has such a counter. */
const ROLE_OF: Readonly<Record<Counter["what"], NonNullable<Device["energy_role"]>>> = {
  produced: "production",
  fromGrid: "grid",
  toGrid: "grid",
  hydrogen: "load",
};

type Counted = {
  readonly id: string;
  readonly manifest: Manifest;
  readonly resource?: { readonly energy_role?: Device["energy_role"] };
};

/** Counters of a device that measure one of the day's energies. */
export function countersOf({ id, manifest, resource }: Counted): readonly Counter[] {
  const role = resource?.energy_role ?? "auto";
  return COUNTERS.filter(({ what }) => role === "auto" || ROLE_OF[what] === role).flatMap(({ what, field, unit }) => {
    const attribute = findAttribute(manifest, field);
    return attribute?.unit === undefined || convert(1, attribute.unit, unit) === undefined
      ? []
      : [{ what, deviceId: id, attribute: attribute.id, unit: attribute.unit }];
  });
}

type Day = {
  /** Unix ms: beginnings of the buckets, none of them before the day. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly dayStart: number;
  readonly now: number;
  readonly series: readonly EnergySeries[];
  readonly counters: readonly CounterSeries[];
};

const PRODUCERS: readonly Kind[] = ["solar", "wind", "generator"];

export function energiesOfToday(day: Day): Energies {
  const has = (...kinds: readonly Kind[]) => day.series.some(({ kind }) => kinds.includes(kind));
  const energy = (kinds: readonly Kind[], pick: (wattHours: number) => number) => sumEnergy(day, kinds, pick);
  const given = (wattHours: number) => Math.max(0, wattHours);
  // The counter is that of solar inverters: beside other producers it would show only a part.
  const produced = (has("wind", "generator") ? undefined : sumCounters(day, "produced")) ?? energy(PRODUCERS, given);
  const fromGrid = sumCounters(day, "fromGrid") ?? energy(["grid"], given);
  const toGrid = sumCounters(day, "toGrid") ?? energy(["grid"], (wattHours) => given(-wattHours));
  const discharged = has("battery") ? energy(["battery"], (wattHours) => wattHours) : 0;
  const isKnown = produced !== undefined || !has(...PRODUCERS);
  const used =
    isKnown && fromGrid !== undefined && toGrid !== undefined && discharged !== undefined
      ? Math.max(0, (produced ?? 0) + fromGrid - toGrid + discharged)
      : undefined;
  const selfUse =
    produced === undefined || toGrid === undefined || produced < 0.05 ? undefined : clamp(1 - toGrid / produced);
  return {
    produced,
    used,
    fromGrid,
    toGrid,
    selfUse,
    hydrogen: sumCounters(day, "hydrogen"),
    coverage: coverageOf(day),
  };
}

function sumCounters({ counters }: Day, what: Counter["what"]): number | undefined {
  const own = counters.filter((counter) => counter.what === what);
  const counted = sumKnown(own.map(({ rises }) => rises));
  const adjustment = own.reduce((sum, counter) => sum + (counter.adjustment ?? 0), 0);
  return counted === undefined ? undefined : Math.max(0, counted + adjustment);
}

function sumEnergy({ series }: Day, kinds: readonly Kind[], pick: (wattHours: number) => number): number | undefined {
  const own = series.filter(({ kind }) => kinds.includes(kind));
  const sum = sumKnown(
    own.map(({ wattHours }) => wattHours.map((value) => (value === undefined ? undefined : pick(value)))),
  );
  return sum === undefined ? undefined : sum / 1000;
}

/** Unknown when there is nothing to add, or when one of the columns has no value at all. */
function sumKnown(columns: readonly (readonly (number | undefined)[])[]): number | undefined {
  if (columns.length === 0) return undefined;
  let sum = 0;
  for (const column of columns) {
    const known = column.filter((value) => value !== undefined);
    if (known.length === 0) return undefined;
    sum = known.reduce((total, value) => total + value, sum);
  }
  return sum;
}

/** Of the device that lacks most. Before a device existed, or reported anything, nothing is expected of it. */
function coverageOf({ times, bucketMs, dayStart, now, series }: Day): number {
  if (series.length === 0) return 0;
  const shares = series.map(({ wattHours, since }) => {
    const first = times[wattHours.findIndex((value) => value !== undefined)] ?? now;
    const from = Math.max(dayStart, Math.min(since, first));
    const expected = Math.ceil((now - from) / bucketMs);
    const known = wattHours.filter((value) => value !== undefined).length;
    return expected <= 0 ? 1 : known / expected;
  });
  return clamp(Math.min(...shares));
}

const clamp = (share: number) => Math.min(1, Math.max(0, share));
