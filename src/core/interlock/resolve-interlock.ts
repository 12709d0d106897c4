// Finds the devices, attributes and controls that an interlock names, and compares units. What does not fit is reported by name,
// together with what would be right. What is there is used even if something else is missing: a limit must not end because a
// device was removed.
import type { AccessLevel } from "#core/access/level.ts";
import type { Control, Conversion } from "#core/control/control.ts";
import { clamp } from "#core/control/resolve-claims.ts";
import { DocumentReader, type Problem } from "#core/text/document-reader.ts";
import type {
  AttributeName,
  CircuitLoad,
  CircuitsInterlock,
  ConditionInterlock,
  ConnectionInterlock,
  GridSignalInterlock,
  Interlock,
  Load,
  NamedLimit,
} from "./interlock.ts";

export interface SiteDevice {
  readonly id: string;
  readonly attributes: ReadonlyMap<string, SiteAttribute>;
  readonly controls: ReadonlyMap<string, Control>;
}

interface SiteAttribute {
  readonly type: string;
  readonly unit: string | undefined;
  readonly accessLevel: AccessLevel;
}

/** What is known of the site. */
export interface SiteKnowledge {
  /** By id or slug. */
  device(name: string): SiteDevice | undefined;
  /** Undefined when the units do not fit each other. */
  conversion(from: string | undefined, to: string | undefined): Conversion | undefined;
}

/** Telemetry, in the unit in which it is compared. Undefined where it does not exist: then it is unknown. */
export interface Source {
  readonly deviceId: string;
  readonly attribute: string;
  readonly unit: string | undefined;
  readonly conversion: Conversion;
  readonly accessLevel: AccessLevel;
}

export interface ResolvedLoad {
  readonly deviceId: string;
  readonly control: Control;
  readonly effect: Load["effect"];
  /** Of what is shared, for one unit of the control. */
  readonly perUnit: number;
  /** Undefined: what the control reads. */
  readonly draws: Source | undefined;
  readonly safe: number;
  readonly least: number;
  /** Of a circuit. */
  readonly circuit: string | undefined;
  readonly phases: CircuitLoad["phases"];
}

export interface ResolvedLimit {
  readonly deviceId: string;
  readonly control: Control;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

export type Resolved =
  | {
      readonly kind: "connection";
      readonly interlock: ConnectionInterlock;
      readonly meter: Source | undefined;
      readonly loads: readonly ResolvedLoad[];
    }
  | {
      readonly kind: "circuits";
      readonly interlock: CircuitsInterlock;
      /** By circuit: one for each phase. A circuit without a meter is not in it. */
      readonly meters: ReadonlyMap<string, readonly (Source | undefined)[]>;
      readonly loads: readonly ResolvedLoad[];
    }
  | {
      readonly kind: "condition";
      readonly interlock: ConditionInterlock;
      readonly source: Source | undefined;
      readonly limits: readonly ResolvedLimit[];
    }
  | {
      readonly kind: "grid_signal";
      readonly interlock: GridSignalInterlock;
      /** Undefined also when it is heard by claims. */
      readonly source: Source | undefined;
      readonly limits: readonly ResolvedLimit[];
      readonly failsafe: readonly ResolvedLimit[];
    }
  /** Its document cannot be read: what it may have limited has its safe value. */
  | { readonly kind: "damaged"; readonly limits: readonly ResolvedLimit[] };

export function resolveInterlock(
  interlock: Interlock,
  site: SiteKnowledge,
): { readonly resolved: Resolved; readonly problems: readonly Problem[] } {
  const reader = new DocumentReader();
  const resolved = resolve({ site, reader }, interlock);
  return { resolved, problems: reader.problems };
}

interface Place {
  readonly site: SiteKnowledge;
  readonly reader: DocumentReader;
}

const NUMBERS: readonly string[] = ["float", "integer"];

function resolve(place: Place, interlock: Interlock): Resolved {
  if (interlock.kind === "connection") {
    const { meter, unit } = interlock;
    const source = sourceOf(at(place, "meter"), meter, { unit, types: NUMBERS });
    const loads = loadsOf(
      place,
      interlock.loads.map((load) => ({ load, unit, phases: [1] as const })),
    );
    return { kind: interlock.kind, interlock, meter: source, loads };
  }
  if (interlock.kind === "circuits") {
    const loads = interlock.loads.map((load) => ({ load, unit: "A", circuit: load.circuit, phases: load.phases }));
    return { kind: interlock.kind, interlock, meters: metersOf(place, interlock), loads: loadsOf(place, loads) };
  }
  if (interlock.kind === "condition") {
    const { when } = interlock;
    const { test } = when;
    const types = test.kind === "equals" ? typesOf(test.value) : NUMBERS;
    const source = sourceOf(at(place, "when"), when, { unit: when.unit, types });
    return { kind: interlock.kind, interlock, source, limits: limitsOf(place, "limits", interlock.limits) };
  }
  const { from } = interlock;
  const source =
    from === "claims" ? undefined : sourceOf(at(place, "from"), from, { unit: undefined, types: ["boolean"] });
  const limits = limitsOf(place, "limits", interlock.limits);
  // Without failsafe values of its own, the list is the same, and so are its problems.
  const failsafe = interlock.failsafe === interlock.limits ? limits : limitsOf(place, "failsafe", interlock.failsafe);
  return { kind: interlock.kind, interlock, source, limits, failsafe };
}

const at = ({ site, reader }: Place, ...keys: readonly string[]): Place => ({
  site,
  reader: keys.reduce((place, key) => place.at(key), reader),
});

function typesOf(value: string | number | boolean): readonly string[] {
  return typeof value === "number" ? NUMBERS : [typeof value];
}

function deviceOf({ site, reader }: Place, name: string): SiteDevice | undefined {
  const device = site.device(name);
  if (device === undefined) reader.at("device").report(`is no device of the site: ${quoted(name)}`, "unknown_device");
  return device;
}

const quoted = (name: string): string => JSON.stringify(name.slice(0, 80));
const known = (names: Iterable<string>): string => [...names].slice(0, 10).join(", ") || "none";

interface Expected {
  /** Values are compared in it. */
  readonly unit: string | undefined;
  readonly types: readonly string[];
}

function sourceOf(place: Place, { device: name, attribute }: AttributeName, expected: Expected): Source | undefined {
  const device = deviceOf(place, name);
  return device && attributeOf({ ...place, reader: place.reader.at("attribute") }, device, { ...expected, attribute });
}

function attributeOf(
  { site, reader }: Place,
  device: SiteDevice,
  { attribute, unit, types }: Expected & { readonly attribute: string },
): Source | undefined {
  const found = device.attributes.get(attribute);
  if (found === undefined) {
    const message = `is no attribute of the device: ${quoted(attribute)}; it has ${known(device.attributes.keys())}`;
    reader.report(message, "unknown_attribute");
    return undefined;
  }
  if (!types.includes(found.type)) {
    reader.report(`must be ${types.join(" or ")}, and ${quoted(attribute)} is ${found.type}`, "unknown_attribute");
    return undefined;
  }
  const conversion = site.conversion(found.unit, unit);
  if (conversion === undefined) {
    reader.report(`has the unit ${found.unit}, which cannot be converted to ${unit}`, "wrong_unit");
    return undefined;
  }
  const { accessLevel } = found;
  return { deviceId: device.id, attribute, unit: unit ?? found.unit, conversion, accessLevel };
}

function metersOf(place: Place, { circuits }: CircuitsInterlock): ReadonlyMap<string, readonly (Source | undefined)[]> {
  const meters = new Map<string, readonly (Source | undefined)[]>();
  for (const [n, { name, meter }] of circuits.entries()) {
    if (meter === undefined) continue;
    const here = at(place, "circuits", String(n), "meter");
    const device = deviceOf(here, meter.device);
    const sources = meter.attributes.map((attribute, index) =>
      device === undefined
        ? undefined
        : attributeOf(at(here, "attributes", String(index)), device, { attribute, unit: "A", types: NUMBERS }),
    );
    meters.set(name, sources.length === 1 ? [sources[0], sources[0], sources[0]] : sources);
  }
  return meters;
}

function controlOf(place: Place, { device: name, control }: { readonly device: string; readonly control: string }) {
  const device = deviceOf(place, name);
  const found = device?.controls.get(control);
  if (device !== undefined && found === undefined) {
    const message = `is no control of the device: ${quoted(control)}; it has ${known(device.controls.keys())}`;
    place.reader.at("control").report(message, "unknown_control");
  }
  return device && found && { device, control: found };
}

interface NamedLoad {
  readonly load: Load;
  readonly unit: string;
  readonly circuit?: string;
  readonly phases: CircuitLoad["phases"];
}

function loadsOf(place: Place, loads: readonly NamedLoad[]): readonly ResolvedLoad[] {
  return loads.flatMap(({ load, unit, circuit, phases }, n) => {
    const here = at(place, "loads", String(n));
    const found = controlOf(here, load);
    if (found === undefined) return [];
    const { device, control } = found;
    const perUnit = load.perUnit ?? perUnitOf(here, control, unit);
    const draws =
      load.draws === undefined
        ? undefined
        : attributeOf(at(here, "draws"), device, { attribute: load.draws, unit, types: NUMBERS });
    const safe = valueIn(at(here, "safe"), control, load.safe);
    const { effect, least } = load;
    const named = { deviceId: device.id, control, effect, perUnit, draws, safe, least, circuit, phases };
    return [named];
  });
}

/** A control whose unit says nothing about what is shared has to say it itself. */
function perUnitOf({ site, reader }: Place, control: Control, unit: string): number {
  const conversion = control.unit === undefined ? undefined : site.conversion(control.unit, unit);
  if (conversion !== undefined && conversion.offset === 0 && conversion.factor > 0) return conversion.factor;
  const message = `is needed: how much ${unit} one ${control.unit ?? "unit"} of ${control.id} is`;
  reader.at("per_unit").report(message, "wrong_unit");
  return 1;
}

function valueIn({ reader }: Place, { id, min, max }: Control, value: number | undefined): number {
  const inside = clamp(value ?? 0, { min, max });
  if (value !== undefined && value !== inside) reader.report(`must be from ${min} to ${max}, as ${id} is`);
  return inside;
}

function limitsOf(place: Place, key: string, limits: readonly NamedLimit[]): readonly ResolvedLimit[] {
  return limits.flatMap((limit, n) => {
    const here = at(place, key, String(n));
    const found = controlOf(here, limit);
    if (found === undefined) return [];
    const { device, control } = found;
    if (limit.max !== undefined && limit.max < control.min)
      here.reader.at("max").report(`must not be below ${control.min}, the lowest value of ${control.id}`);
    if (limit.min !== undefined && limit.min > control.max)
      here.reader.at("min").report(`must not be above ${control.max}, the highest value of ${control.id}`);
    return [{ deviceId: device.id, control, min: limit.min, max: limit.max }];
  });
}
