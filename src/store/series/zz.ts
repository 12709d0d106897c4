import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { CsvBytes } from "#core/telemetry/csv-bytes.ts";
import { Connection } from "#store/sqlite/connection.ts";
import { startQuery } from "./run-query.ts";
import { createSqliteReader } from "./sqlite/sqlite-reader.ts";
import { createTimesCache } from "./times-cache.ts";

const HOUR = 3600000;
const file = "/var/tmp/ts/busbar/telemetry.db";
const database = new Connection(file, "read", 4);
const reader = createSqliteReader(database);
const times = createTimesCache(8 << 20);
const csv = new CsvBytes();
const site = JSON.parse(readFileSync("/var/tmp/ts/site.json", "utf8"));
const defs = reader.definitions();
const find = (d: number, a: string) => defs.find((x) => x.deviceId === site.devices[d] && x.attribute === a)!;
const last = database.get("SELECT max(start+span) m FROM chunk WHERE series = ?", find(7, "power").series) as any;
const END = last.m;
const elapsed = () => performance.now();
const item = (d: number, a: string, kind: any, aggregation: any, granularityMs: number, lookAroundMs?: number) => {
  const s = find(d, a);
  return {
    deviceId: s.deviceId,
    attribute: a,
    kind,
    aggregation,
    granularityMs,
    lookAroundMs,
    series: s.series,
    device: s.device,
  };
};
const Q: Record<string, any> = {
  q5: { from: END - 24 * HOUR, to: END, items: [item(5, "note", "text", "last", 60000, HOUR)], header: "ts,foo\n" },
  q6: { from: END - 2 * HOUR, to: END - HOUR, items: [item(7, "power", "number", "avg", 1000)], header: "ts,foo\n" },
};
for (const name of (process.argv[2] ?? "q5,q6").split(",")) {
  const xs: number[] = [];
  let n = 0;
  const N = Number(process.env["N"] ?? 3000);
  for (let i = 0; i < N; i++) {
    const t = performance.now();
    const run = startQuery({ reader, times, csv, elapsed }, Q[name], []);
    const { bytes } = database.snapshot(() => run.pull());
    n = bytes.length;
    xs.push(performance.now() - t);
  }
  const tail = xs.slice(N / 3).sort((a, b) => a - b);
  console.log(
    name,
    n,
    "p50",
    tail[tail.length >> 1]!.toFixed(3),
    "p99",
    tail[Math.floor(tail.length * 0.99)]!.toFixed(3),
  );
}
