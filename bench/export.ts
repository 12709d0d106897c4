// How fast every point of a site's month goes into files, next to what the disk takes, and how much memory that needs.
// Usage: bench/export.ts [million points, default 50] [csv] [jsonl] [parquet]. Data: 10 attributes at 1 Hz per device and 30 days, as many
// devices as the points need: floats of one decimal, counters, states.

import { once } from "node:events";
import { closeSync, createWriteStream, fsyncSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import { DAY_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import type { LoadedColumn, TelemetryStore } from "#service/ports/telemetry-store.ts";
import { openSeries } from "#store/series/open-series.ts";
import { sqliteChunks } from "#store/series/sqlite/open-sqlite-chunks.ts";

const WANTED = Number(process.argv[2] ?? 50) * 1e6;
const CHOSEN = process.argv.slice(3);
const FORMS = (["csv", "jsonl", "parquet"] as const).filter((form) => CHOSEN.length === 0 || CHOSEN.includes(form));
const ATTRIBUTES = Array.from({ length: 10 }, (_, i) => `attribute_${i}`);
const START = Date.UTC(2026, 0, 1);
const SECONDS = 86_400;
const PER_DAY = SECONDS * ATTRIBUTES.length;
const DEVICES = Math.max(1, Math.round(WANTED / (30 * PER_DAY)));
const DAYS = Math.max(1, Math.round(WANTED / (DEVICES * PER_DAY)));
const POINTS = DEVICES * DAYS * PER_DAY;

const folder = mkdtempSync(join(process.env["BUSBAR_BENCH_FOLDER"] ?? tmpdir(), "busbar-bench-"));
const settings = { graceMs: 15 * 60_000, maxHotPoints: 8_000_000, readers: 1 };
const store = await openSeries(sqliteChunks(join(folder, "telemetry.db")), settings, (error) => {
  throw error;
});
try {
  const loadSeconds = await timed(async () => {
    for (let device = 0; device < DEVICES; device++) {
      for (let day = 0; day < DAYS; day++) await store.load(`device-${device}`, columnsOf(day));
    }
  });
  await store.settle(instant(Date.now()));
  const results: Record<string, unknown> = {};
  for (const form of FORMS) results[form] = await exportAll(store, form);
  console.log(
    JSON.stringify({
      bench: "export",
      points: POINTS,
      devices: DEVICES,
      days: DAYS,
      load_points_per_s: Math.round(POINTS / loadSeconds),
      ...results,
    }),
  );
} finally {
  await store.close();
  rmSync(folder, { recursive: true });
}

/** Into a file per device, as `busbar export` does; the network between is left out. */
async function exportAll(from: TelemetryStore, form: "csv" | "jsonl" | "parquet") {
  const before = process.memoryUsage.rss();
  let peak = before;
  let bytes = 0;
  const seconds = await timed(async () => {
    for (let device = 0; device < DEVICES; device++) {
      const file = join(folder, `device-${device}.${form}`);
      const out = createWriteStream(file, { flush: true });
      const items = ATTRIBUTES.map((attribute) => ({
        deviceId: `device-${device}`,
        attribute,
        kind: "number" as const,
        aggregation: "last" as const,
        granularityMs: 1,
        lookAroundMs: undefined,
      }));
      const range = { from: instant(START), to: instant(START + DAYS * DAY_MS) };
      for await (const { piece } of await from.query(
        { requester: "bench", ...range, items },
        renderingOf(form, device),
      )) {
        if (!out.write(piece)) await once(out, "drain");
        peak = Math.max(peak, process.memoryUsage.rss());
      }
      out.end();
      await once(out, "close");
      bytes += statSync(file).size;
      rmSync(file);
    }
  });
  const disk = diskRate(Math.min(bytes, 1e9));
  return {
    points_per_s: Math.round(POINTS / seconds),
    mb_per_s: Math.round(bytes / seconds / 1e6),
    disk_mb_per_s: Math.round(disk / 1e6),
    part_of_disk: Number((bytes / seconds / disk).toFixed(3)),
    bytes_per_point: Number((bytes / POINTS).toFixed(2)),
    rss_before_mb: Math.round(before / 1e6),
    rss_peak_mb: Math.round(peak / 1e6),
  };
}

function renderingOf(form: "csv" | "jsonl" | "parquet", device: number): Rendering {
  if (form === "parquet") {
    const columns = ATTRIBUTES.map((name) => ({ name, kind: "number" as const }));
    return { renderer: "parquet", settings: { columns, notes: {} } };
  }
  const names = { device: `device-${device}`, attributes: ATTRIBUTES, isFirst: true };
  return { renderer: "points", settings: { form, shape: "wide", time: "unix", timezone: "UTC", ...names } };
}

/** Bytes a second of plain writes with an fsync at the end. */
function diskRate(bytes: number): number {
  const piece = new Uint8Array(1024 * 1024).fill(55);
  const file = join(folder, "plain");
  const begun = performance.now();
  const handle = openSync(file, "w");
  let written = 0;
  while (written < bytes) written += writeSync(handle, piece);
  fsyncSync(handle);
  closeSync(handle);
  const rate = written / ((performance.now() - begun) / 1_000);
  rmSync(file);
  return rate;
}

function columnsOf(day: number): readonly LoadedColumn[] {
  return ATTRIBUTES.map((attribute, i) => {
    const times = Float64Array.from({ length: SECONDS }, (_, second) => START + day * DAY_MS + second * 1_000);
    const values = Float64Array.from(times, (_, second) => valueAt(i, day * SECONDS + second));
    return { attribute, kind: "number", count: SECONDS, times, values };
  });
}

function valueAt(attribute: number, second: number): number {
  if (attribute % 4 === 0) return second * (attribute + 1);
  if (attribute % 4 === 1) return Math.floor(second / 600) % 3;
  return Math.round(2_000 * Math.sin(second / 3_000 + attribute) + ((second * 7_919) % 41)) / 10;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}
