// What every measured engine must do: hold the same data and answer the same questions.
import { DAY, END, HOUR, MINUTE, SECOND, type Size } from "./data.ts";

export interface Question {
  readonly name: string;
  /** Numbers of devices; the series of a year is `year`. */
  readonly devices: readonly (number | "year")[];
  readonly attributes: readonly string[];
  readonly aggregation: "avg" | "last";
  /** Carries the last value over empty buckets. */
  readonly fill: boolean;
  readonly from: number;
  readonly to: number;
  readonly granularity: number;
}

/** Rows by bucket start in Unix milliseconds; a cell per series in the order asked, undefined where there is nothing. */
export type Table = ReadonlyMap<number, readonly (number | string | undefined)[]>;

export interface Loaded {
  readonly points: number;
  readonly seconds: number;
}

export interface Engine {
  readonly name: string;
  /** Result caches are off unless `warm`. Resolves with the whole answer as it came. */
  ask(question: Question, warm: boolean): Promise<string>;
  parse(question: Question, answer: string): Table;
  /** Bytes on disk. */
  size(): number;
  /** Resident memory in bytes. */
  memory(): number;
  stop(): Promise<void>;
}

const FLOATS = [
  "voltage",
  "current",
  "power",
  "reactive_power",
  "frequency",
  "temperature",
  "ambient",
  "pressure",
  "state_of_charge",
  "flow",
];

export function questions({ hours, days }: Size): readonly Question[] {
  const ten = Array.from({ length: 10 }, (_, i) => i);
  const day = { from: END - hours * HOUR, to: END };
  const average = { aggregation: "avg", fill: false } as const;
  const year = { devices: ["year"], attributes: ["power"], to: END, ...average } as const;
  return [
    { name: "q1 10 attributes 24h/1m", devices: [3], attributes: FLOATS, granularity: MINUTE, ...day, ...average },
    { name: "q2 10 devices 24h/5m", devices: ten, attributes: ["power"], granularity: 5 * MINUTE, ...day, ...average },
    { name: "q3 365d/1d", from: END - days * DAY, granularity: DAY, ...year },
    { name: "q3 365d/1h", from: END - days * DAY, granularity: HOUR, ...year },
    { name: "q4 30d/10m", from: END - Math.min(30, days) * DAY, granularity: 10 * MINUTE, ...year },
    {
      name: "q5 sparse string 24h/1m locf",
      devices: [5],
      attributes: ["note"],
      aggregation: "last",
      fill: true,
      granularity: MINUTE,
      ...day,
    },
    {
      name: "q6 1h/1s",
      devices: [7],
      attributes: ["power"],
      from: END - 2 * HOUR,
      to: END - HOUR,
      granularity: SECOND,
      ...average,
    },
  ];
}

/** The series of a question in the order of its columns. */
export function seriesOf({ devices, attributes }: Question): readonly (readonly [number | "year", string])[] {
  return devices.flatMap((device) => attributes.map((attribute) => [device, attribute] as const));
}

/** What differs between two answers, or undefined. Means may differ by the last digits. */
export function difference(a: Table, b: Table): string | undefined {
  const width = Math.max(0, ...[...a.values(), ...b.values()].map((row) => row.length));
  for (const start of [...new Set([...a.keys(), ...b.keys()])].sort((x, y) => x - y)) {
    for (let column = 0; column < width; column++) {
      const one = a.get(start)?.[column];
      const other = b.get(start)?.[column];
      if (one === other) continue;
      const isClose =
        typeof one === "number" && typeof other === "number" && Math.abs(one - other) <= 1e-9 * Math.abs(one);
      if (!isClose) return `at ${new Date(start).toISOString()}, column ${column}: ${one} and ${other}`;
    }
  }
  return undefined;
}
