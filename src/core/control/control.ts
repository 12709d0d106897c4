import type { ControlCall, SafeSide } from "./declared-control.ts";

/** `other = value * factor + offset`. */
export interface Conversion {
  readonly factor: number;
  readonly offset: number;
}

export const CONTROLLED_TYPES = ["float", "integer", "boolean"] as const;
export type ControlledType = (typeof CONTROLLED_TYPES)[number];

/** What is done when nobody claims the control any more. */
export type Fallback =
  | { readonly kind: "value"; readonly value: number }
  /** `value` is what the device has after the command, if that is known. */
  | ({ readonly kind: "command"; readonly value: number | undefined } & ControlCall);

/** A controlled quantity of a device, complete: names are found and units are compared. Yes and no are 1 and 0. */
export interface Control {
  readonly id: string;
  readonly displayName: string;
  readonly unit: string | undefined;
  readonly command: string;
  readonly argument: string;
  readonly argumentType: ControlledType;
  readonly toArgument: Conversion;
  /** Other arguments that every write has. */
  readonly arguments: ReadonlyMap<string, unknown>;
  /** Undefined: nothing measures it. */
  readonly reads: { readonly attribute: string; readonly fromReading: Conversion } | undefined;
  /** -Infinity: no limit is known. */
  readonly min: number;
  readonly max: number;
  readonly step: number | undefined;
  readonly refreshMs: number | undefined;
  readonly tolerance: number | undefined;
  readonly settleMs: number;
  readonly ramp: number | undefined;
  readonly intervalMs: number;
  readonly safe: SafeSide;
  /** Executed before the first value. */
  readonly prepare: ControlCall | undefined;
  readonly fallback: Fallback | undefined;
  /** The profile that declares it; undefined: the blueprint itself. */
  readonly profile: string | undefined;
}

/** The value of the argument that stands for a value of the control. */
export function argumentValue(control: Control, value: number): number | boolean {
  const { factor, offset } = control.toArgument;
  if (control.argumentType === "boolean") return value >= 0.5;
  const converted = tidy(value * factor + offset);
  return control.argumentType === "integer" ? Math.round(converted) : converted;
}

/** The nearest value at or inside a limit that an argument can stand for: a limit of 10.6 A allows 10 A if the argument is whole. */
export function representable(control: Control, limit: number, side: "min" | "max"): number {
  const { toArgument, argumentType, step } = control;
  const { factor, offset } = toArgument;
  const toward = (value: number, isDown: boolean) => (isDown ? Math.floor(value + 1e-9) : Math.ceil(value - 1e-9));
  const isDown = side === "max";
  if (argumentType === "boolean") return toward(limit, isDown);
  const stepped = step === undefined ? limit : tidy(toward(limit / step, isDown) * step);
  if (argumentType !== "integer") return tidy(stepped);
  const whole = toward(stepped * factor + offset, factor > 0 ? isDown : !isDown);
  return tidy((whole - offset) / factor);
}

/** The value of the control that an argument stands for; undefined for what is no value. */
export function valueOfArgument(control: Control, argument: unknown): number | undefined {
  const { factor, offset } = control.toArgument;
  if (typeof argument === "boolean") return argument ? 1 : 0;
  return typeof argument === "number" && Number.isFinite(argument) ? tidy((argument - offset) / factor) : undefined;
}

/** What the device measures, as a value of the control. */
export function valueOfReading(control: Control, reading: unknown): number | undefined {
  if (control.reads === undefined) return undefined;
  const { factor, offset } = control.reads.fromReading;
  if (typeof reading === "boolean") return reading ? 1 : 0;
  return typeof reading === "number" && Number.isFinite(reading) ? tidy(reading * factor + offset) : undefined;
}

/** What the device would measure at a value of the control. */
export function readingOfValue(control: Control, value: number): number | boolean | undefined {
  if (control.reads === undefined) return undefined;
  const { factor, offset } = control.reads.fromReading;
  return control.argumentType === "boolean" ? value >= 0.5 : tidy((value - offset) / factor);
}

/** A double carries 15 decimal digits; what factors leave behind them is noise. */
const tidy = (value: number): number => Number(value.toPrecision(15));
