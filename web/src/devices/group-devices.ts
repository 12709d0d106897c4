// Devices by the category of their blueprint, as people look for them. Pure.
import type { Category } from "#core/blueprint/vocabulary.ts";

type Categorised = { readonly manifest: { readonly category: string | undefined } };

export type DeviceGroup<One> = {
  /** Undefined: the devices without one. */
  readonly category: string | undefined;
  readonly devices: readonly One[];
};

/** Where energy comes from, where it is kept, where it goes; then what measures and controls. A record, so that none is missing. */
const RANK: Readonly<Record<Category, number>> = {
  "solar-generators": 0,
  "wind-generators": 1,
  "fuel-generators": 2,
  "fuel-cells": 3,
  "battery-systems": 4,
  "power-meters": 5,
  "power-distribution": 6,
  electrolysers: 7,
  "hydrogen-storage": 8,
  "electric-vehicles": 9,
  loads: 10,
  hvac: 11,
  "gas-equipment": 12,
  "water-treatment": 13,
  sensors: 14,
  "data-providers": 15,
  control: 16,
  networking: 17,
};
const RANKS: ReadonlyMap<string, number> = new Map(Object.entries(RANK));

/** The order within a group stays as it was. Categories that this page does not know come before the devices without one. */
export function groupByCategory<One extends Categorised>(devices: readonly One[]): readonly DeviceGroup<One>[] {
  const groups = Map.groupBy(devices, ({ manifest }) => manifest.category);
  return [...groups]
    .map(([category, members]) => ({ category, devices: members }))
    .sort((a, b) => rank(a.category) - rank(b.category) || (a.category ?? "").localeCompare(b.category ?? ""));
}

function rank(category: string | undefined): number {
  return category === undefined ? RANKS.size + 1 : (RANKS.get(category) ?? RANKS.size);
}

/** Rows of a tree by the category of the device at the top: children stay below their parents. */
export function groupTrees<One extends Categorised>(
  rows: readonly { readonly device: One; readonly depth: number }[],
): readonly { readonly category: string | undefined; readonly rows: typeof rows }[] {
  const trees: {
    readonly manifest: One["manifest"];
    readonly rows: { readonly device: One; readonly depth: number }[];
  }[] = [];
  for (const row of rows) {
    const last = trees.at(-1);
    if (row.depth === 0 || last === undefined) trees.push({ manifest: row.device.manifest, rows: [row] });
    else last.rows.push(row);
  }
  return groupByCategory(trees).map(({ category, devices }) => ({
    category,
    rows: devices.flatMap((tree) => tree.rows),
  }));
}
