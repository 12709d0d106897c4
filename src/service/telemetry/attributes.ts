// Telemetry attributes by every name they answer to, made once per blueprint.
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

const known = new WeakMap<Blueprint, ReadonlyMap<string, Attribute>>();

export function attributesOf(blueprint: Blueprint): ReadonlyMap<string, Attribute> {
  let attributes = known.get(blueprint);
  if (attributes === undefined) {
    attributes = byName(blueprint);
    known.set(blueprint, attributes);
  }
  return attributes;
}

/** Ids win over aliases. */
function byName(blueprint: Blueprint): ReadonlyMap<string, Attribute> {
  const attributes = new Map<string, Attribute>([[ALERTS.id, ALERTS]]);
  for (const attribute of blueprint.telemetry.values()) {
    for (const alias of attribute.aliases) attributes.set(alias, attribute);
  }
  for (const attribute of blueprint.telemetry.values()) attributes.set(attribute.id, attribute);
  return attributes;
}
