// What a site would have sent, the same in every run: devices whose messages carry twenty values a second, with jitter, losses,
// missing values and an outage each, and one series of a year.

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
/** The end of everything that is loaded. */
export const END = Date.UTC(2026, 9, 1);

export interface Size {
  readonly devices: number;
  readonly hours: number;
  readonly days: number;
  /** So many days at the end of the long series are there already; undefined: none. */
  readonly daysBefore?: number;
}

/** 1 is 50 devices for a day and a series of a year. There are always the ten devices that a query asks for. */
export function sizeOf(scale: number): Size {
  return {
    devices: Math.max(10, Math.round(50 * scale)),
    hours: Math.min(24, Math.max(3, Math.round(120 * scale))),
    days: Math.max(3, Math.round(365 * scale)),
  };
}

type AttributeType = "float" | "integer" | "string" | "boolean";

export interface AttributeSpec {
  readonly name: string;
  readonly type: AttributeType;
  readonly make: (random: () => number, rows: number) => Float64Array;
  readonly words?: readonly string[];
  /** Share of the messages that carry it, in stretches of single messages; 1 when not given. */
  readonly share?: number;
}

const STATES = ["standby", "starting", "operating", "stopping", "fault"];
const MODES = ["auto", "manual", "remote"];
const GRID = ["connected", "island"];
const NOTES = Array.from(
  { length: 40 },
  (_, i) => `event ${i}: ${["door opened", "pump served", "filter changed"][i % 3]}`,
);

export const ATTRIBUTES: readonly AttributeSpec[] = [
  { name: "voltage", type: "float", make: walk({ around: 230, step: 0.15, places: 1 }) },
  { name: "current", type: "float", make: walk({ around: 12, step: 0.04, places: 2 }) },
  { name: "power", type: "float", make: walk({ around: 2.8, step: 0.008, places: 3 }) },
  { name: "reactive_power", type: "float", make: walk({ around: 0.4, step: 0.004, places: 3 }) },
  { name: "frequency", type: "float", make: walk({ around: 50, step: 0.006, places: 2 }) },
  { name: "temperature", type: "float", make: walk({ around: 41, step: 0.02, places: 1 }) },
  { name: "ambient", type: "float", make: walk({ around: 18, step: 0.01, places: 1 }) },
  { name: "pressure", type: "float", make: walk({ around: 29.5, step: 0.01, places: 2 }), share: 0.98 },
  { name: "state_of_charge", type: "float", make: walk({ around: 60, step: 0.01, places: 1 }) },
  { name: "flow", type: "float", make: walk({ around: 7, step: 0.02, places: 2 }) },
  { name: "energy", type: "float", make: count(0.0008, 3) },
  { name: "starts", type: "integer", make: count(0.001, 0) },
  { name: "uptime", type: "integer", make: (_random, rows) => Float64Array.from({ length: rows }, (_, i) => i) },
  { name: "packets", type: "integer", make: count(14, 0) },
  { name: "status", type: "string", make: states(STATES.length, 600), words: STATES },
  { name: "mode", type: "string", make: states(MODES.length, 7_200), words: MODES },
  { name: "grid", type: "string", make: states(GRID.length, 20_000), words: GRID },
  { name: "running", type: "boolean", make: states(2, 900) },
  { name: "door_open", type: "boolean", make: states(2, 5_000) },
  { name: "note", type: "string", make: states(NOTES.length, 1), words: NOTES, share: 1 / 400 },
];

export interface DeviceColumn {
  readonly spec: AttributeSpec;
  /** Places in `times`; undefined when every message carries the value. */
  readonly rows: Uint32Array | undefined;
  /** Texts as places in the words, booleans as 0 and 1. */
  readonly values: Float64Array;
}

export interface DeviceData {
  readonly times: Float64Array;
  readonly columns: readonly DeviceColumn[];
  readonly points: number;
}

export function makeDevice(index: number, { hours }: Size): DeviceData {
  const random = randomFrom(index + 1);
  const times = makeTimes(random, END - hours * HOUR, hours * 3_600);
  const columns = ATTRIBUTES.map((spec): DeviceColumn => {
    const rows = spec.share === undefined ? undefined : someRows(random, times.length, spec.share);
    return { spec, rows, values: spec.make(random, rows?.length ?? times.length) };
  });
  return { times, columns, points: columns.reduce((sum, { values }) => sum + values.length, 0) };
}

/** One day of the long series; the series runs on from day to day. */
export interface DayData {
  readonly times: Float64Array;
  readonly values: Float64Array;
}

export function* makeYear({ days, daysBefore = 0 }: Size): Iterable<DayData> {
  const random = randomFrom(365 + daysBefore);
  let value = 1_500;
  for (let day = days; day > daysBefore; day--) {
    const times = makeTimes(random, END - day * DAY, 86_400);
    const values = new Float64Array(times.length);
    for (let i = 0; i < times.length; i++) {
      value += (random() - 0.5) * 2 + (1_500 - value) * 0.0005;
      values[i] = Math.round(value * 100) / 100;
    }
    yield { times, values };
  }
}

/** mulberry32: few lines, the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = (seed * 0x9e3779b9) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Once a second with some milliseconds of jitter, one in 200 lost, and one outage of up to half an hour. */
function makeTimes(random: () => number, from: number, seconds: number): Float64Array {
  const length = Math.floor(random() * Math.min(1_800, seconds / 8));
  const outage = Math.floor(random() * (seconds - length));
  const times = new Float64Array(seconds);
  let count = 0;
  for (let second = 0; second < seconds; second++) {
    const jitter = Math.floor((random() + random() + random()) * 20);
    if (random() < 0.005 || (second >= outage && second < outage + length)) continue;
    times[count++] = from + second * SECOND + jitter;
  }
  return times.slice(0, count);
}

function someRows(random: () => number, rows: number, share: number): Uint32Array {
  const kept = new Uint32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (random() < share) kept[count++] = row;
  return kept.slice(0, count);
}

/** A value that wanders about a mean, rounded as a device rounds it. */
function walk({ around, step, places }: { readonly around: number; readonly step: number; readonly places: number }) {
  const power = 10 ** places;
  return (random: () => number, rows: number): Float64Array => {
    const values = new Float64Array(rows);
    let value = around * (0.9 + random() * 0.2);
    for (let i = 0; i < rows; i++) {
      value += (random() - 0.5) * 2 * step + (around - value) * 0.0002;
      values[i] = Math.round(value * power) / power;
    }
    return values;
  };
}

/** A counter that rises by `rate` on average. */
function count(rate: number, places: number) {
  const power = 10 ** places;
  return (random: () => number, rows: number): Float64Array => {
    const values = new Float64Array(rows);
    let value = Math.floor(random() * 10_000);
    for (let i = 0; i < rows; i++) {
      value += random() * 2 * rate;
      values[i] = Math.floor(value * power) / power;
    }
    return values;
  };
}

/** One of some states, which changes every `length` rows on average. */
function states(number: number, length: number) {
  return (random: () => number, rows: number): Float64Array => {
    const values = new Float64Array(rows);
    let value = Math.floor(random() * number);
    for (let i = 0; i < rows; i++) {
      if (random() < 1 / length) value = Math.floor(random() * number);
      values[i] = value;
    }
    return values;
  };
}
