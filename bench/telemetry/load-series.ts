// Runs as a process: writes telemetry straight into the store of a gateway that does not run, and reports how fast.
import { instant } from "#core/time/instant.ts";
import type { LoadedColumn, TelemetryPoints } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";
import { DAY, type DeviceData, END, makeDevice, makeYear, randomFrom, type Size } from "./data.ts";

interface Job {
  /** hour: the hour until now, which stays open. */
  readonly job: "all" | "hour" | "float32" | "double";
  readonly file: string;
  readonly devices: readonly string[];
  readonly size: Size;
}

const MESSAGES = 1_000;

const { job, file, devices, size } = JSON.parse(process.argv[2] ?? "") as Job;
// The open hour must stay in memory and in the journal.
const graceMs = (job === "hour" ? 300 : 15) * 60_000;
const store = await openSeries(sqliteChunks(file), { graceMs, maxHotPoints: 4_000_000, readers: 1 }, (error) => {
  throw error;
});
const say = (text: string) => process.stderr.write(`  ${text}\n`);
let points = 0;
let seconds = 0;
let settleSeconds = 0;

if (job === "hour") await loadHour();
else {
  if (job === "all") await loadAll();
  else await loadNumbers(job === "float32" ? Math.fround : (value) => value);
  const started = performance.now();
  await store.settle(instant(END + 2 * DAY));
  settleSeconds = (performance.now() - started) / 1_000;
}
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ points, seconds, settleSeconds, cpuSeconds: (user + system) / 1e6 }));
// The open hour must be found in the journal, as after a crash.
if (job === "hour") process.kill(process.pid, "SIGKILL");
await store.close();

async function loadAll(): Promise<void> {
  for (let device = 0; device < size.devices; device++) {
    await load(devices[device] ?? "", columnsOf(makeDevice(device, size)));
    if (device % 10 === 9) say(`${device + 1} of ${size.devices} devices`);
  }
  let day = 0;
  for (const { times, values } of makeYear(size)) {
    await load(devices.at(-1) ?? "", [power(times, values)]);
    if (++day % 100 === 0) say(`${day} of ${size.days} days of the long series`);
  }
}

async function loadHour(): Promise<void> {
  const hour = { ...size, hours: 1 };
  const shift = Date.now() - END;
  for (let device = 0; device < size.devices; device++) {
    const made = makeDevice(device, hour);
    await write(messagesOf(devices[device] ?? "", { ...made, times: made.times.map((time) => time + shift) }));
  }
}

async function loadNumbers(round: (value: number) => number): Promise<void> {
  const random = randomFrom(32);
  let value = 1_500;
  for (let day = 3; day > 0; day--) {
    const times = Float64Array.from(
      { length: 86_400 },
      (_, i) => END - day * DAY + i * 1_000 + Math.floor(random() * 20),
    );
    const values = times.map(() => {
      value += random() - 0.5;
      return round(value);
    });
    await load("device", [power(times, values)]);
  }
}

/** A day of a device at a time, each durable before the next. */
async function load(deviceId: string, columns: readonly LoadedColumn[]): Promise<void> {
  // The columns are given away: counted before.
  for (const { count } of columns) points += count;
  const started = performance.now();
  await store.load(deviceId, columns);
  seconds += (performance.now() - started) / 1_000;
}

function columnsOf({ times, columns }: DeviceData): readonly LoadedColumn[] {
  return columns.map(({ spec, rows, values }): LoadedColumn => {
    const own = rows === undefined ? times : Float64Array.from(rows, (row) => times[row] ?? 0);
    const column = { attribute: spec.name, count: own.length, times: own };
    const { words } = spec;
    if (words !== undefined) return { ...column, kind: "text", values: Array.from(values, (one) => words[one] ?? "") };
    if (spec.type === "boolean") return { ...column, kind: "boolean", values: Uint8Array.from(values) };
    return { ...column, kind: "number", values };
  });
}

function power(times: Float64Array, values: Float64Array): LoadedColumn {
  return { attribute: "power", kind: "number", count: times.length, times, values };
}

async function write(messages: Iterable<TelemetryPoints>): Promise<void> {
  // Made before the clock runs.
  const all = [...messages];
  const started = performance.now();
  let under: Promise<void>[] = [];
  for (let at = 0; at < all.length; at += MESSAGES) {
    const part = all.slice(at, at + MESSAGES);
    for (const { values } of part) points += values.size;
    under.push(store.append(part));
    if (under.length >= 8) {
      await Promise.all(under);
      under = [];
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await Promise.all(under);
  seconds += (performance.now() - started) / 1_000;
}

function* messagesOf(deviceId: string, { times, columns }: DeviceData): Iterable<TelemetryPoints> {
  const next = columns.map(() => 0);
  for (const [row, time] of times.entries()) {
    const values = new Map<string, number | boolean | string>();
    for (const [index, column] of columns.entries()) {
      const at = next[index] ?? 0;
      if (column.rows !== undefined && column.rows[at] !== row) continue;
      next[index] = at + 1;
      const value = column.values[at] ?? 0;
      values.set(
        column.spec.name,
        column.spec.words?.[value] ?? (column.spec.type === "boolean" ? value === 1 : value),
      );
    }
    yield { deviceId, at: instant(time), values };
  }
}
