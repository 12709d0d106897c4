// How fast points are loaded into the engine past the journal, each step durable, against the way of live points.
// Data: one device, 20 attributes at 1 Hz (floats of one decimal, counters, states), loaded an hour at a time.
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { instant } from "#core/time/instant.ts";
import type { LoadedColumn, TelemetryPoints, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";

const HOURS = Number(process.argv[2] ?? 48);
const LIVE_HOURS = 4;
const ATTRIBUTES = 20;
const START = Date.UTC(2026, 0, 1);
const SECONDS = 3_600;

const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
const file = join(folder, "telemetry.db");
const settings = { graceMs: 15 * 60_000, maxHotPoints: 8_000_000, readers: 1 };
const store = await openSeries(sqliteChunks(file), settings, (error) => {
  throw error;
});

const hours = Array.from({ length: HOURS }, (_, hour) => columnsOf(hour));
const cpuBefore = process.cpuUsage();
const loadSeconds = await timed(async () => {
  for (const columns of hours) await store.load("loaded", columns);
});
// All threads together: what other programs on the machine take does not count.
const { user, system } = process.cpuUsage(cpuBefore);
const loaded = HOURS * SECONDS * ATTRIBUTES;
const bytes = statSync(file).size + statSync(`${file}-wal`).size;
const settleSeconds = await timed(() => store.settle(instant(Date.now())));

const messages = Array.from({ length: LIVE_HOURS * SECONDS }, (_, second) => messageAt(second));
const liveSeconds = await timed(async () => {
  for (let at = 0; at < messages.length; at += 50) await store.append(messages.slice(at, at + 50));
});
const checked = await countOf(store);
await store.close();
rmSync(folder, { recursive: true });

const loadRate = loaded / loadSeconds;
const liveRate = (LIVE_HOURS * SECONDS * ATTRIBUTES) / liveSeconds;
console.log(
  JSON.stringify({
    bench: "telemetry-load",
    points: loaded,
    load_points_per_s: Math.round(loadRate),
    load_points_per_cpu_s: Math.round(loaded / ((user + system) / 1e6)),
    load_and_compaction_points_per_s: Math.round(loaded / (loadSeconds + settleSeconds)),
    append_points_per_s: Math.round(liveRate),
    load_over_append: Number((loadRate / liveRate).toFixed(2)),
    bytes_per_point_before_compaction: Number((bytes / loaded).toFixed(3)),
    all_there: checked === HOURS * SECONDS,
  }),
);

function valueAt(attribute: number, second: number): number {
  if (attribute % 4 === 0) return second * (attribute + 1);
  if (attribute % 4 === 1) return Math.floor(second / 600) % 3;
  return Math.round(Math.sin(second / (300 + attribute)) * 500 + ((second * 7919) % 13)) / 10;
}

function columnsOf(hour: number): readonly LoadedColumn[] {
  const first = hour * SECONDS;
  const times = Float64Array.from({ length: SECONDS }, (_, i) => START + (first + i) * 1_000);
  return Array.from({ length: ATTRIBUTES }, (_, attribute) => ({
    attribute: `a${attribute}`,
    kind: "number",
    count: SECONDS,
    times,
    values: Float64Array.from({ length: SECONDS }, (_, i) => valueAt(attribute, first + i)),
  }));
}

function messageAt(second: number): TelemetryPoints {
  const values = new Map(Array.from({ length: ATTRIBUTES }, (_, one) => [`a${one}`, valueAt(one, second)] as const));
  return { deviceId: "live", at: instant(START + second * 1_000), values };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

async function countOf(from: TelemetryStore): Promise<number> {
  const rows = await from.query({
    requester: "bench",
    from: instant(START),
    to: instant(START + HOURS * SECONDS * 1_000),
    items: [
      {
        deviceId: "loaded",
        attribute: "a0",
        kind: "number",
        aggregation: "count",
        granularityMs: 31_536_000_000,
        lookAroundMs: undefined,
      },
    ],
  });
  const { value } = await rows.next();
  return Number(value?.piece.columns[0]?.values[0]);
}
