// What both sides of a connection remember of the live telemetry that went over it, so that names and ids travel once and
// a value travels as its difference to the last one. See pack-points.ts for the bytes.

export type LiveValue = number | boolean | string;

export interface LivePoints {
  readonly deviceId: string;
  /** Unix milliseconds, whole ones. */
  readonly at: number;
  readonly values: ReadonlyMap<string, LiveValue>;
}

/** Numbers with up to nine decimal places are whole numbers of such places: these kinds are 0 to 9. */
export const MOST_PLACES = 9;
export const [FLOAT_32, FLOAT_64, BOOLEAN, TEXT] = [10, 11, 12, 13];

/** One attribute of a device. */
export interface LiveSeries {
  readonly name: string;
  kind: number;
  value: LiveValue | undefined;
  /** The value as a whole number, or as the bits of a 32-bit float. */
  whole: number;
}

export interface LiveDevice {
  readonly id: string;
  readonly series: LiveSeries[];
  /** Which series messages of it have had, as places in `series`. */
  readonly forms: (readonly number[])[];
}

/** When both sides remember so much, they start over. Counted alike on both, about what it takes in memory. */
export const MOST_KNOWN_BYTES = 4 * 1024 * 1024;
const MOST_FORMS = 32;
const MOST_TEXTS = 4_096;
const LONGEST_TEXT = 64;

export class LiveValues {
  readonly devices: LiveDevice[] = [];
  readonly texts: string[] = [];
  /** The time of the last message. */
  at = 0;
  bytes = 0;

  addDevice(id: string): LiveDevice {
    const device = { id, series: [], forms: [] };
    this.devices.push(device);
    this.bytes += 200 + id.length;
    return device;
  }

  addSeries(device: LiveDevice, name: string): void {
    device.series.push({ name, kind: FLOAT_64, value: undefined, whole: 0 });
    this.bytes += 80;
  }

  /** Further ones are stated each time. */
  addForm(device: LiveDevice, form: readonly number[]): void {
    if (device.forms.length >= MOST_FORMS) return;
    device.forms.push(form);
    this.bytes += 32 + 8 * form.length;
  }

  /** Whether it travels once only. */
  isKept(text: string): boolean {
    return text.length <= LONGEST_TEXT && this.texts.length < MOST_TEXTS;
  }

  addText(text: string): void {
    this.texts.push(text);
    this.bytes += 32 + 2 * text.length;
  }

  setText(series: LiveSeries, text: string): void {
    if (typeof series.value === "string") this.bytes -= 2 * series.value.length;
    series.kind = TEXT;
    series.value = text;
    this.bytes += 2 * text.length;
  }
}

const float = new DataView(new ArrayBuffer(4));

export function bitsOf(value: number): number {
  float.setFloat32(0, value);
  return float.getInt32(0);
}

export function floatOf(bits: number): number {
  float.setInt32(0, bits);
  return float.getFloat32(0);
}

const POWERS = Array.from({ length: MOST_PLACES + 1 }, (_, places) => 10 ** places);
/** The difference of two such numbers is exact. */
export const LARGEST_WHOLE = 2 ** 50;

export function fromWhole(whole: number, places: number): number {
  return whole / (POWERS[places] ?? 1);
}

/** The number as whole units of so many places; undefined when that is not exactly it. */
export function toWhole(value: number, places: number): number | undefined {
  const whole = Math.round(value * (POWERS[places] ?? 1));
  const isExact = Math.abs(whole) <= LARGEST_WHOLE && fromWhole(whole, places) === value;
  return isExact && !Object.is(value, -0) ? whole : undefined;
}
