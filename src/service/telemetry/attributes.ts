// Telemetry attributes by id and by alias, built once per blueprint.
import type { AccessLevel } from "#core/access/level.ts";
import type { Blueprint, EnumValue, TelemetryType } from "#core/blueprint/blueprint.ts";

export interface Attribute {
  readonly id: string;
  readonly type: TelemetryType;
  readonly enum: readonly EnumValue[] | undefined;
  readonly accessLevel: AccessLevel;
}

/** Every device may send its active alerts, declared or not. */
const ALERTS: Attribute = { id: "alerts", type: "alerts", enum: undefined, accessLevel: "readonly" };

/** What a device without a blueprint may send. */
const RESERVED: ReadonlyMap<string, Attribute> = new Map([[ALERTS.id, ALERTS]]);

const known = new WeakMap<Blueprint, ReadonlyMap<string, Attribute>>();

export function attributesOf(blueprint: Blueprint | undefined): ReadonlyMap<string, Attribute> {
  if (blueprint === undefined) return RESERVED;
  let attributes = known.get(blueprint);
  if (attributes === undefined) {
    attributes = byName(blueprint);
    known.set(blueprint, attributes);
  }
  return attributes;
}

/** Whether its values say which alerts are active. */
export function listsAlerts({ id, type }: Attribute): boolean {
  return type === "alerts" || (id === ALERTS.id && type === "array_of_strings");
}

/** Ids win over aliases. */
function byName(blueprint: Blueprint): ReadonlyMap<string, Attribute> {
  const attributes = new Map(RESERVED);
  for (const attribute of blueprint.telemetry.values()) {
    for (const alias of attribute.aliases) attributes.set(alias, attribute);
  }
  for (const attribute of blueprint.telemetry.values()) attributes.set(attribute.id, attribute);
  return attributes;
}
