// A register map: which registers of a device become which telemetry, properties and alerts, and which registers its
// commands write. Everything is filled in: only `parseModbusMap` makes one.
import type { RegisterLayout } from "./register-value.ts";

export const REGISTER_KINDS = ["holding", "input", "coil", "discrete"] as const;
export type RegisterKind = (typeof REGISTER_KINDS)[number];

/** The most registers or bits that one request may ask for. */
export const MAX_SPAN: Readonly<Record<RegisterKind, number>> = {
  holding: 125,
  input: 125,
  coil: 2000,
  discrete: 2000,
};

export function isBitKind(kind: RegisterKind): boolean {
  return kind === "coil" || kind === "discrete";
}

/** Registers in a row of one table of one unit. */
export interface Span {
  readonly unit: number;
  readonly kind: RegisterKind;
  readonly address: number;
  readonly count: number;
}

export interface RegisterPlace {
  readonly from: "register";
  /** Undefined: the unit of the map. */
  readonly unit: number | undefined;
  readonly kind: RegisterKind;
  readonly address: number;
  /** Its scale is 1: the conversion has its own. */
  readonly layout: RegisterLayout;
}

export interface SunSpecPlace {
  readonly from: "sunspec";
  readonly unit: number | undefined;
  /** The first one whose model the device has. */
  readonly points: readonly SunSpecPoint[];
}

interface SunSpecPoint {
  readonly model: number;
  /** As SunSpec names it; a point of a repeated group as `module[1].DCW`. */
  readonly name: string;
}

export type PointValue = number | string | boolean;

/** From the number in the registers to the value. */
export interface Conversion {
  readonly scale: number;
  readonly offset: number;
  /** Numbers in the registers that mean: there is no value. */
  readonly absent: readonly number[];
  /** Only these bits count. */
  readonly bits: { readonly low: number; readonly high: number } | undefined;
  /** Whether the value is true or false. */
  readonly isBoolean: boolean;
  /** What each number means; a number that is not listed is no value. */
  readonly names: ReadonlyMap<number, PointValue> | undefined;
}

export type PointTarget = "telemetry" | "properties" | "alerts";

export interface MapPoint {
  readonly target: PointTarget;
  readonly name: string;
  readonly group: string;
  readonly place: RegisterPlace | SunSpecPlace;
  readonly conversion: Conversion;
}

export interface MapWrite {
  /** The command's argument that is written; undefined for a value that is always the same. */
  readonly argument: string | undefined;
  readonly value: PointValue | undefined;
  readonly place: RegisterPlace | SunSpecPlace;
  readonly conversion: Conversion;
}

export interface MapGroup {
  readonly name: string;
  readonly intervalMs: number;
}

export interface ModbusMap {
  /** A connection URI, in which `${bucket.parameter}` stands for a value of the configuration. */
  readonly connection: string | undefined;
  /** A number, or the same kind of text. */
  readonly unit: number | string;
  readonly timeoutMs: number;
  /** Registers that nobody wants are read along if they are not more than this. */
  readonly maxGap: number;
  readonly groups: readonly MapGroup[];
  readonly points: readonly MapPoint[];
  readonly commands: ReadonlyMap<string, readonly MapWrite[]>;
}

export const SETTING = /\$\{([A-Za-z_]\w*)\.([A-Za-z_]\w*)\}/g;

/** The values of the configuration that a map needs, as `bucket.parameter`. */
export function settingsOf({ connection, unit }: Pick<ModbusMap, "connection" | "unit">): readonly string[] {
  const found = [...`${connection ?? ""} ${unit}`.matchAll(SETTING)].map(([, bucket, name]) => `${bucket}.${name}`);
  return [...new Set(found)];
}

/** The text with its settings filled in; `missing` names one that has no value. */
export function fillSettings(
  text: string,
  values: ReadonlyMap<string, string>,
): { readonly text: string } | { readonly missing: string } {
  let missing: string | undefined;
  const filled = text.replace(SETTING, (_, bucket: string, name: string) => {
    const value = values.get(`${bucket}.${name}`);
    if (value === undefined) missing ??= `${bucket}.${name}`;
    return value ?? "";
  });
  return missing === undefined ? { text: filled } : { missing };
}
