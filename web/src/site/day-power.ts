// The power of a site over a day: who gives it and who takes it, bucket by bucket. Pure.
import { convert } from "#manifest/units.ts";
import type { Column } from "#web/charts/paths.ts";
import { findAttribute } from "#web/data/find-attribute.ts";
import type { History, Wanted } from "#web/data/history.ts";
import type { Manifest } from "#web/data/manifest.ts";
import { energyFlow, type FlowKind } from "./energy-flow.ts";
import { type Instruments, wattHoursOf } from "./site-energy.ts";

/** Watts, never negative. Undefined where at least one device of the kind has no value. */
export type KindPower = { readonly kind: FlowKind; readonly given: Column; readonly taken: Column };

export type DayPower = {
  /** The buckets that have passed. */
  readonly times: readonly number[];
  readonly bucketMs: number;
  readonly kinds: readonly KindPower[];
};

type Window = { readonly from: number; readonly to: number; readonly now: number };

const HOUR = 3_600_000;

export function dayPower({ readings }: Instruments, history: History, { from, to, now }: Window): DayPower {
  const { bucketMs } = history;
  const columns = readings.map((reading) => ({
    kind: reading.kind,
    wattHours: wattHoursOf(reading, { history, now }),
  }));
  const shown = history.times.flatMap((at, index) => (at >= from && at < to && at + bucketMs <= now ? [index] : []));
  const flows = shown.map((index) =>
    energyFlow(
      columns.map(({ kind, wattHours }) => {
        const energy = wattHours[index];
        return { kind, watts: energy === undefined ? undefined : (energy * HOUR) / bucketMs };
      }),
    ),
  );
  const kinds = flows[0]?.nodes.map(({ kind }) => kind) ?? [];
  const column = (kind: FlowKind, role: "gives" | "takes"): Column =>
    flows.map(({ nodes }) => {
      const node = nodes.find((one) => one.kind === kind);
      return node?.watts === undefined ? undefined : node.role === role ? node.watts : 0;
    });
  return {
    times: shown.map((index) => history.times[index] ?? 0),
    bucketMs,
    kinds: kinds.map((kind) => ({ kind, given: column(kind, "gives"), taken: column(kind, "takes") })),
  };
}

/** From the axis outwards: what a site has of its own lies next to it, and the grid, which fills the rest, outside. */
const ABOVE: readonly FlowKind[] = [
  "solar",
  "wind",
  "generator",
  "battery",
  "grid",
  "rest",
  "load",
  "hydrogen",
  "vehicle",
];
const BELOW: readonly FlowKind[] = [
  "rest",
  "load",
  "hydrogen",
  "vehicle",
  "battery",
  "grid",
  "solar",
  "wind",
  "generator",
];

export type StackedArea = {
  readonly key: string;
  readonly kind: FlowKind;
  readonly low: Column;
  readonly high: Column;
};

/** Areas in kW: what is given above the axis, what is taken below it. Kinds that never do either have none. */
export function stackDay({ kinds, times }: DayPower, hidden: ReadonlySet<string>): readonly StackedArea[] {
  const stack = (order: readonly FlowKind[], side: "given" | "taken"): readonly StackedArea[] => {
    const sign = side === "given" ? 1 : -1;
    let base: readonly number[] = times.map(() => 0);
    return order.flatMap((kind) => {
      const column = hidden.has(kind) ? undefined : kinds.find((one) => one.kind === kind)?.[side];
      if (column === undefined || !column.some((watts) => watts !== undefined && watts > 0)) return [];
      const low = base;
      base = low.map((value, index) => value + (sign * (column[index] ?? 0)) / 1000);
      const [inner, outer] = [low, base];
      const rim = outer.map((value, index) => (column[index] === undefined ? undefined : value));
      return [{ key: `${side} ${kind}`, kind, low: inner, high: rim }];
    });
  };
  return [...stack(ABOVE, "given"), ...stack(BELOW, "taken")];
}

/** A battery that reports its state of charge. */
export type ChargeSource = {
  readonly deviceId: string;
  readonly name: string;
  readonly attribute: string;
  readonly unit: string;
};

type Named = { readonly id: string; readonly name: string; readonly manifest: Manifest };

export function chargeSources({ readings }: Instruments, devices: readonly Named[]): readonly ChargeSource[] {
  const batteries = new Set(readings.filter(({ kind }) => kind === "battery").map(({ deviceId }) => deviceId));
  return devices
    .filter(({ id }) => batteries.has(id))
    .flatMap(({ id, name, manifest }) => {
      const attribute = findAttribute(manifest, "battery_soc");
      return attribute === undefined
        ? []
        : [{ deviceId: id, name, attribute: attribute.id, unit: attribute.unit ?? "%" }];
    });
}

export const wantedCharge = ({ deviceId: device, attribute }: ChargeSource): Wanted => ({
  device,
  attribute,
  aggregation: "avg",
});

/** Percent, in the buckets of the day. */
export function chargeColumn(source: ChargeSource, history: History, { times }: DayPower): Column {
  const column = history.column(wantedCharge(source));
  const first = history.times.indexOf(times[0] ?? Number.NaN);
  return times.map((_, index) => {
    const value = column?.[first + index];
    return value === undefined ? undefined : convert(value, source.unit, "%");
  });
}

export type Peak = { readonly watts: number; readonly at: number };

/** The greatest value of a column, and when it was. Undefined without any power. */
export function peakOf(column: Column, times: readonly number[]): Peak | undefined {
  let peak: Peak | undefined;
  for (const [index, watts] of column.entries()) {
    if (watts !== undefined && watts > (peak?.watts ?? 0)) peak = { watts, at: times[index] ?? 0 };
  }
  return peak;
}

/** Everything that the site itself uses: what is taken, without batteries and the grid. Unknown where one part is. */
export function useOf({ kinds, times }: DayPower): Column {
  const users = kinds.filter(({ kind }) => kind !== "battery" && kind !== "grid");
  return times.map((_, index) =>
    users.reduce<number | undefined>((sum, { taken }) => {
      const watts = taken[index];
      return sum === undefined || watts === undefined ? undefined : sum + watts;
    }, 0),
  );
}

/** Means of `size` buckets each, for a table. A part without any value has none. */
export function meansOf(column: Column, size: number): Column {
  return Array.from({ length: Math.ceil(column.length / size) }, (_, part) => {
    const known = column.slice(part * size, (part + 1) * size).filter((value) => value !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
  });
}
