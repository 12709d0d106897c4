// Numbers and texts as Modbus registers of 16 bits.
import { itemAt } from "#core/item-at.ts";

export const REGISTER_TYPES = [
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "float32",
  "float64",
  "string",
] as const;
export type RegisterType = (typeof REGISTER_TYPES)[number];

export const WORD_ORDERS = ["big", "little"] as const;
export type WordOrder = (typeof WORD_ORDERS)[number];

/** How a value lies in registers. */
export interface RegisterLayout {
  readonly type: RegisterType;
  /** `big`: the register with the highest bits comes first. */
  readonly words: WordOrder;
  /** `little`: the two bytes of each register are swapped. */
  readonly bytes: WordOrder;
  /** What one step of the register is worth: 0.1 for tenths. The registers hold value / scale, rounded. */
  readonly scale: number;
  /** For a string; numbers have their own. */
  readonly count: number;
}

const WIDTH: Readonly<Record<Exclude<RegisterType, "string">, number>> = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  int64: 4,
  uint64: 4,
  float64: 4,
};

/** How many registers a value takes. */
export function registerCount({ type, count }: Pick<RegisterLayout, "type" | "count">): number {
  return type === "string" ? count : WIDTH[type];
}

/** Describes why a value does not fit this layout; undefined when it does. */
export function registerProblem(layout: RegisterLayout, value: number | string): string | undefined {
  const { type, scale } = layout;
  if (type === "string") return typeof value === "string" ? undefined : "must be a text";
  if (typeof value !== "number" || !Number.isFinite(value)) return "must be a finite number";
  if (type === "float32" || type === "float64") return undefined;
  const raw = Math.round(value / scale);
  const bits = WIDTH[type] * 16;
  const isSigned = type.startsWith("int");
  const lowest = isSigned ? -(2 ** (bits - 1)) : 0;
  const highest = isSigned ? 2 ** (bits - 1) - 1 : 2 ** bits - 1;
  if (raw < lowest || raw > highest) {
    const what = scale === 1 ? String(value) : `${value} / ${scale} = ${raw}`;
    return `must lie between ${lowest} and ${highest}, not ${what}`;
  }
  return undefined;
}

/** The registers of a value that has no problem. */
export function encodeRegisters(layout: RegisterLayout, value: number | string): readonly number[] {
  const count = registerCount(layout);
  const view = new DataView(new ArrayBuffer(count * 2));
  if (typeof value === "string") {
    const bytes = new TextEncoder().encode(value).subarray(0, count * 2);
    for (const [at, byte] of bytes.entries()) view.setUint8(at, byte);
  } else writeNumber(view, layout, value);
  const registers = Array.from({ length: count }, (_, index) => view.getUint16(index * 2, layout.bytes === "little"));
  return layout.words === "little" && layout.type !== "string" ? registers.reverse() : registers;
}

function writeNumber(view: DataView, { type, scale }: RegisterLayout, value: number): void {
  const scaled = value / scale;
  if (type === "float32") view.setFloat32(0, scaled);
  else if (type === "float64") view.setFloat64(0, scaled);
  else if (type.endsWith("16")) view.setInt16(0, Math.round(scaled));
  else if (type.endsWith("32")) view.setInt32(0, Math.round(scaled));
  else view.setBigInt64(0, BigInt(Math.round(scaled)));
}

/** What registers hold under a layout. There are as many of them as the layout says. */
export function decodeRegisters(layout: RegisterLayout, registers: readonly number[]): number | string {
  const count = registerCount(layout);
  const view = new DataView(new ArrayBuffer(count * 2));
  const ordered = layout.words === "little" && layout.type !== "string" ? registers.toReversed() : registers;
  for (let index = 0; index < count; index += 1)
    view.setUint16(index * 2, itemAt(ordered, index), layout.bytes === "little");
  if (layout.type === "string") return new TextDecoder().decode(view).replace(/\0+$/, "");
  return withoutNoise(readNumber(view, layout.type) * layout.scale);
}

function readNumber(view: DataView, type: Exclude<RegisterType, "string">): number {
  switch (type) {
    case "float32":
      return shortest(view.getFloat32(0));
    case "float64":
      return view.getFloat64(0);
    case "int16":
      return view.getInt16(0);
    case "uint16":
      return view.getUint16(0);
    case "int32":
      return view.getInt32(0);
    case "uint32":
      return view.getUint32(0);
    case "int64":
      return Number(view.getBigInt64(0));
    case "uint64":
      return Number(view.getBigUint64(0));
  }
}

/** The shortest number that is stored as this float32: 51.2, not 51.20000076293945. */
function shortest(value: number): number {
  if (!Number.isFinite(value)) return value;
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

/** Rounds for reports: 235 * 0.1 is shown as 23.5. */
export function withoutNoise(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(15)) : value;
}
