// Bytes and nanoseconds a point of the telemetry codec, each decode next to copying a Float64Array (the least any reader could do), and
// the CSV writer next to string concatenation. Prints one JSON line. Usage: node bench/codec.ts
import { CsvBytes } from "#core/telemetry/render/csv-bytes.ts";
import { decodeBooleans, encodeBooleans } from "#store/series/codec/booleans.ts";
import { decodeNumbers, encodeNumbers } from "#store/series/codec/numbers.ts";
import { decodeTexts, encodeTexts } from "#store/series/codec/texts.ts";
import { decodeTimes, encodeTimes } from "#store/series/codec/times.ts";

const HOUR = 3600;
const HOURS = 24;
const POINTS = HOUR * HOURS;

let seed = 20240607;
function random(): number {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
const gauss = (): number => random() + random() + random() + random() - 2;

/** Nanoseconds a point: the best of several rounds, so that neighbours on the machine count least. */
function nanos(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  const until = performance.now() + 400;
  for (let round = 0; round < 10 || performance.now() < until; round++) {
    const begin = performance.now();
    run();
    best = Math.min(best, performance.now() - begin);
  }
  return (best * 1e6) / POINTS;
}

const round = (value: number, places = 2): number => Number(value.toFixed(places));

/** One column an hour, as segments hold them. */
function hours(make: (i: number) => number): Float64Array[] {
  return Array.from({ length: HOURS }, (_, hour) =>
    Float64Array.from({ length: HOUR }, (_, i) => make(hour * HOUR + i)),
  );
}

function walk(places: number, spread: number): (i: number) => number {
  let level = 230 * 10 ** places;
  return () => {
    level += Math.round(gauss() * spread);
    return level / 10 ** places;
  };
}

const STATES = ["RUNNING", "STOPPED", "FAULT", "STANDBY", "STARTING"];
const out = new Float64Array(HOUR);
const bitsOut = new Uint8Array(HOUR);
const copied = hours(walk(1, 3));
const copyNs = nanos(() => {
  for (const column of copied) out.set(column);
});

type Result = { bytes: number; encodeNs: number; decodeNs: number; decodeToCopy: number };

function measure<T>(
  columns: readonly T[],
  encode: (column: T) => Uint8Array,
  decode: (bytes: Uint8Array) => void,
): Result {
  const blobs = columns.map(encode);
  const encodeNs = nanos(() => {
    for (const column of columns) encode(column);
  });
  const decodeNs = nanos(() => {
    for (const blob of blobs) decode(blob);
  });
  const bytes = blobs.reduce((sum, blob) => sum + blob.length, 0) / POINTS;
  return {
    bytes: round(bytes),
    encodeNs: round(encodeNs),
    decodeNs: round(decodeNs),
    decodeToCopy: round(decodeNs / copyNs, 1),
  };
}

const numbers = (make: (i: number) => number): Result =>
  measure(
    hours(make),
    (column) => encodeNumbers(column, column.length),
    (blob) => void decodeNumbers(blob, out),
  );

let energy = 1e6;
let sum = 0;
const codec = {
  "decimals, 1 place": numbers(walk(1, 3)),
  "decimals, 2 places": numbers(walk(2, 8)),
  "decimals, 3 places": numbers(walk(3, 20)),
  "noise of 3 places": numbers(() => Math.round(50000 + gauss() * 50) / 1000),
  "large decimals": numbers((i) => (9e9 + i * 7 + Math.round(gauss() * 9)) / 10),
  counter: numbers(() => {
    energy += Math.floor(random() * 4);
    return energy;
  }),
  constant: numbers(() => 50),
  float32: numbers(() => {
    sum = sum * 0.99 + gauss();
    return Math.fround(230 + sum);
  }),
  doubles: numbers(() => {
    sum = sum * 0.99 + gauss();
    return 230 + sum;
  }),
  "any doubles": numbers(() => Math.exp(gauss() * 300)),
  times: measure(
    hours((i) => 1.7e12 + i * 1000 + Math.floor(random() * 6)).map((times) => times.filter(() => random() > 0.01)),
    (times) => encodeTimes(times, times.length),
    (blob) => void decodeTimes(blob, out),
  ),
  booleans: measure(
    hours((i) => ((Math.floor(i / 300) % 2) ^ (random() < 0.01 ? 1 : 0) ? 1 : 0)).map((bits) => Uint8Array.from(bits)),
    (bits) => encodeBooleans(bits, bits.length),
    (blob) => void decodeBooleans(blob, bitsOut),
  ),
  states: measure(
    hours((i) => (Math.floor(i / 60) * 7919) % 5).map((places) => Array.from(places, (place) => STATES[place] ?? "")),
    encodeTexts,
    (blob) => void decodeTexts(blob),
  ),
};

/** Many different values, since V8 remembers the strings of numbers it saw lately. */
function csv(make: (i: number) => number): { bytesNs: number; concatenationNs: number; ratio: number } {
  const columns = hours(make);
  const writer = new CsvBytes();
  const bytesNs = nanos(() => {
    for (const values of columns) {
      for (const value of values) {
        writer.number(value);
        writer.comma();
      }
      writer.take();
    }
  });
  const encoder = new TextEncoder();
  const concatenationNs = nanos(() => {
    for (const values of columns) {
      let text = "";
      for (const value of values) text += `${value},`;
      encoder.encode(text);
    }
  });
  return {
    bytesNs: round(bytesNs, 1),
    concatenationNs: round(concatenationNs, 1),
    ratio: round(concatenationNs / bytesNs, 1),
  };
}

const report = {
  bench: "codec",
  points: POINTS,
  copyNs: round(copyNs),
  codec,
  csv: {
    "decimals, 1 place": csv(walk(1, 30)),
    "decimals, 3 places": csv(walk(3, 2000)),
    counters: csv((i) => 1e6 + i * 3),
    means: csv(() => Math.round(random() * 1e5) / 10 / 60),
    float32: csv(() => Math.fround(random() * 300)),
  },
};
console.log(JSON.stringify(report));
