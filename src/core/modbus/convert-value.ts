import { itemAt } from "#core/item-at.ts";
import type { Conversion, PointValue, RegisterPlace } from "./modbus-map.ts";
import { isBitKind } from "./modbus-map.ts";
import { decodeRegisters, encodeRegisters, registerProblem, withoutNoise } from "./register-value.ts";

/** The value in the registers of a place; undefined when they hold none. */
export function valueIn(
  { kind, layout }: Pick<RegisterPlace, "kind" | "layout">,
  conversion: Conversion,
  registers: readonly number[],
): PointValue | undefined {
  return convert(conversion, isBitKind(kind) ? itemAt(registers, 0) : decodeRegisters(layout, registers));
}

/** What a number or text of the device means; undefined when it is no value. */
export function convert(conversion: Conversion, raw: number | string): PointValue | undefined {
  if (typeof raw === "string") {
    const text = raw.trim();
    return text === "" ? undefined : text;
  }
  if (!Number.isFinite(raw) || conversion.absent.includes(raw)) return undefined;
  const number = conversion.bits === undefined ? raw : bitsOf(raw, conversion.bits);
  if (conversion.names !== undefined) return conversion.names.get(number);
  if (conversion.isBoolean) return number !== 0;
  // Never -0.
  return withoutNoise(number * conversion.scale + conversion.offset) + 0;
}

function bitsOf(raw: number, { low, high }: NonNullable<Conversion["bits"]>): number {
  return Number(BigInt.asUintN(high - low + 1, BigInt(Math.trunc(raw)) >> BigInt(low)));
}

/** The number or text of the device for a value, or why there is none. */
export function unconvert(
  conversion: Conversion,
  value: unknown,
): { readonly raw: number | string } | { readonly problem: string } {
  if (conversion.names !== undefined) {
    const found = [...conversion.names].find(([, meaning]) => meaning === value);
    if (found !== undefined) return { raw: found[0] };
    return { problem: `must be one of ${[...conversion.names.values()].join(", ")}, not ${String(value)}` };
  }
  if (typeof value === "boolean") return { raw: value ? 1 : 0 };
  if (typeof value === "number" && Number.isFinite(value))
    return { raw: withoutNoise((value - conversion.offset) / conversion.scale) };
  if (typeof value === "string") return { raw: value };
  return { problem: "must be a number, a text, true or false" };
}

/** The registers that hold a value, or why none can. */
export function registersFor(
  { kind, layout }: Pick<RegisterPlace, "kind" | "layout">,
  raw: number | string,
): { readonly registers: readonly number[] } | { readonly problem: string } {
  if (isBitKind(kind))
    return typeof raw === "number" ? { registers: [raw === 0 ? 0 : 1] } : { problem: "must be on or off" };
  const problem = registerProblem(layout, raw);
  return problem === undefined ? { registers: encodeRegisters(layout, raw) } : { problem };
}
