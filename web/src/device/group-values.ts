// The telemetry attributes of a device in groups that people look for together. Pure.
import { parseUnit } from "#manifest/units.ts";
import type { Attribute, Manifest } from "#web/data/manifest.ts";

const GROUPS = ["state", "power", "energy", "electrical", "temperature", "flow", "level", "counter", "other"] as const;
type GroupName = (typeof GROUPS)[number];
export type ValueGroup = { readonly name: GroupName; readonly attributes: readonly Attribute[] };

/** Units whose dimension names a group. */
const UNITS_OF_GROUP: readonly (readonly [GroupName, readonly string[]])[] = [
  ["power", ["W"]],
  ["energy", ["kWh", "A.h"]],
  ["electrical", ["V", "A", "Hz", "Ohm", "S/cm"]],
  ["temperature", ["K"]],
  ["flow", ["Pa", "m3/h", "kg/h", "m3", "kg"]],
  ["level", ["%"]],
  ["counter", ["s"]],
];

const GROUP_OF_DIMENSION: ReadonlyMap<string, GroupName> = new Map(
  UNITS_OF_GROUP.flatMap(([group, units]) =>
    units.flatMap((unit): [string, GroupName][] => {
      const dimension = parseUnit(unit)?.dimension;
      return dimension === undefined ? [] : [[dimension, group]];
    }),
  ),
);

/** Lists of alerts have a place of their own; objects cannot be read at a glance. */
const HIDDEN = new Set(["alerts", "json"]);

export function groupValues(manifest: Manifest): readonly ValueGroup[] {
  const byGroup = Map.groupBy(
    [...manifest.telemetry.values()].filter(({ type }) => !HIDDEN.has(type)),
    groupOf,
  );
  return GROUPS.flatMap((name) => {
    const attributes = byGroup.get(name);
    return attributes === undefined ? [] : [{ name, attributes }];
  });
}

function groupOf({ type, unit, enum: values }: Attribute): GroupName {
  if (values !== undefined || (type !== "float" && type !== "integer")) return "state";
  if (unit === undefined) return "other";
  return GROUP_OF_DIMENSION.get(parseUnit(unit)?.dimension ?? "unknown") ?? "other";
}
