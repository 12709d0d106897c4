// Registers of a device of the plant, built from tables that also describe what the blueprint's script reads from them.
import type { Plant } from "#demo/plant/plant.ts";

export type AttributeValue = number | boolean | string;
/** What a device's script reports of the plant, by attribute; undefined: it reports nothing. */
export type Attributes = Readonly<Record<string, (plant: Plant) => AttributeValue | undefined>>;

/** A number in one or two registers, most significant first. */
export interface Reading {
  readonly register: number;
  readonly type: "u16" | "s16" | "u32" | "s32" | "f32";
  /** Counts a unit: a register of 2301 with 10 counts a unit is 230.1. Of f32 the script's rounding. */
  readonly per: number;
  readonly read: (plant: Plant) => number;
}

const RANGES = {
  u16: [0, 0xffff],
  s16: [-0x8000, 0x7fff],
  u32: [0, 0xffff_ffff],
  s32: [-0x8000_0000, 0x7fff_ffff],
} as const;

export function reading(
  register: number,
  [type, per]: readonly [Reading["type"], number],
  read: Reading["read"],
): Reading {
  return { register, type, per, read };
}

/** Text in registers, two bytes each, filled up with zeros. */
export function textReadings(register: number, length: number, text: string): readonly Reading[] {
  return Array.from({ length }, (_, n) => {
    const [high, low] = [text.charCodeAt(n * 2) || 0, text.charCodeAt(n * 2 + 1) || 0];
    return reading(register + n, ["u16", 1], () => high * 256 + low);
  });
}

/** One of several words as its place in the list. */
export function codeReading<Word extends string>(
  register: number,
  words: readonly Word[],
  read: (plant: Plant) => Word,
): Reading {
  return reading(register, ["u16", 1], (plant) => words.indexOf(read(plant)));
}

function countsOf({ type, per, read }: Reading, plant: Plant): number {
  const value = read(plant);
  if (type === "f32") return Math.fround(value);
  const [least, most] = RANGES[type];
  return Math.min(most, Math.max(least, Math.round(value * per)));
}

/** The value after its way through the register. */
export function measured(one: Reading): (plant: Plant) => number {
  return (plant) => {
    const counts = countsOf(one, plant);
    const value = one.type === "f32" ? Math.floor(counts * one.per + 0.5) / one.per : counts / one.per;
    // Never -0.
    return value + 0;
  };
}

const scratch = new DataView(new ArrayBuffer(4));

/** Sets the registers of every reading to what the plant says now. */
export function writeReadings(registers: Map<number, number>, readings: readonly Reading[], plant: Plant): void {
  for (const one of readings) {
    const counts = countsOf(one, plant);
    if (one.type.endsWith("16")) {
      registers.set(one.register, counts & 0xffff);
      continue;
    }
    if (one.type === "f32") scratch.setFloat32(0, counts);
    else scratch.setInt32(0, counts | 0);
    registers.set(one.register, scratch.getUint16(0));
    registers.set(one.register + 1, scratch.getUint16(2));
  }
}

/** A Modbus unit of the plant. */
export interface PlantUnit {
  readonly inputs: readonly Reading[];
  readonly holdings: readonly Reading[];
  readonly coils: readonly Reading[];
  /** The plant after a write of registers or coils; undefined when the device refuses it. */
  write(plant: Plant, write: RegisterWrite): Plant | undefined;
}

interface RegisterWrite {
  readonly table: "holdings" | "coils";
  readonly register: number;
  readonly values: readonly number[];
}

/** The names whose bit is set. */
export function alertBits(register: number, flags: readonly Flag[]): Reading {
  return reading(register, ["u16", 1], (plant) =>
    flags.reduce((bits, { isRaised }, bit) => bits | (isRaised(plant) ? 1 << bit : 0), 0),
  );
}

export function raisedAlerts(flags: readonly Flag[]): (plant: Plant) => string {
  return (plant) => JSON.stringify(flags.filter(({ isRaised }) => isRaised(plant)).map(({ alert }) => alert));
}

export interface Flag {
  readonly alert: string;
  readonly isRaised: (plant: Plant) => boolean;
}
