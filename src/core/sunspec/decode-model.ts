import { decodeRegisters, type RegisterType, withoutNoise } from "#core/modbus/register-value.ts";
import { findModelPoint, type ModelPoint, type PointType, type SunSpecModel } from "./parse-model.ts";

/** How each type lies in registers, and the number that means "not implemented". */
const TYPES: Readonly<Record<PointType, readonly [type: RegisterType, absent: number]>> = {
  int16: ["int16", -0x8000],
  sunssf: ["int16", -0x8000],
  pad: ["int16", -0x8000],
  uint16: ["uint16", 0xffff],
  count: ["uint16", 0xffff],
  enum16: ["uint16", 0xffff],
  bitfield16: ["uint16", 0xffff],
  uint32: ["uint32", 0xffff_ffff],
  bitfield32: ["uint32", 0xffff_ffff],
  uint64: ["uint64", 2 ** 64],
  // An accumulator that does not count stays at 0.
  acc32: ["uint32", 0],
  acc64: ["uint64", 0],
  float32: ["float32", Number.NaN],
  string: ["string", Number.NaN],
};

export function pointLayout({ type, count }: Pick<ModelPoint, "type" | "count">) {
  return { type: TYPES[type][0], words: "big", bytes: "big", scale: 1, count } as const;
}

type ModelValue = number | string;

/** A point of a model in the registers of its data; undefined when the device does not implement it. */
export function decodePoint(model: SunSpecModel, name: string, registers: readonly number[]): ModelValue | undefined {
  const found = findModelPoint(model, name);
  if (found === undefined) return undefined;
  const raw = rawAt(found.point, registers, found.offset);
  const { scaleFactor } = found.point;
  if (typeof raw !== "number" || scaleFactor === undefined) return raw;
  const exponent = decodePoint(model, scaleFactor, registers);
  // Without its scale factor, a number says nothing.
  return typeof exponent === "number" ? withoutNoise(raw * 10 ** exponent) : undefined;
}

function rawAt(point: ModelPoint, registers: readonly number[], offset: number): ModelValue | undefined {
  const own = registers.slice(offset, offset + point.count);
  if (own.length < point.count) return undefined;
  const raw = decodeRegisters(pointLayout(point), own);
  if (typeof raw === "string") return raw.trim() === "" ? undefined : raw.trim();
  return Number.isFinite(raw) && raw !== TYPES[point.type][1] ? raw : undefined;
}

/** Values by name; those of a repeated group as a list, in which a value that is not implemented is missing, too. */
interface DecodedModel {
  readonly values: ReadonlyMap<string, ModelValue>;
  readonly group: { readonly name: string; readonly items: readonly ReadonlyMap<string, ModelValue>[] } | undefined;
}

/** Every point that the device implements. Scale factors have been applied and are left out. */
export function decodeModel(model: SunSpecModel, registers: readonly number[]): DecodedModel {
  const read = (points: readonly ModelPoint[], prefix: string) => {
    const values = new Map<string, ModelValue>();
    for (const { name, type } of points) {
      if (type === "pad" || type === "sunssf") continue;
      const value = decodePoint(model, `${prefix}${name}`, registers);
      if (value !== undefined) values.set(name, value);
    }
    return values;
  };
  const { group } = model;
  const length = group === undefined ? 0 : Math.max(0, Math.floor((registers.length - model.count) / group.count));
  const items = Array.from({ length }, (_, at) => read(group?.points ?? [], `${group?.name}[${at + 1}].`));
  return { values: read(model.points, ""), group: group && { name: group.name, items } };
}
