// Lists of the last 100 among a million executions, under every combination of filters, through the store and some of them
// over HTTP. Prints one JSON line: the median of a few rounds each in milliseconds, and the worst.
// BENCH_DAYS is the time over which the executions are spread, BENCH_EXECUTIONS their number.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import type { Execution } from "#core/command/execution.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { makeDevice, makeEntry, makeSite } from "../test/support/records.ts";
import { startBusbar } from "../test/support/start-busbar.ts";
import { fillExecutions } from "./executions/fill-executions.ts";

const COUNT = Number(process.env["BENCH_EXECUTIONS"] ?? 1_000_000);
const DAYS = Number(process.env["BENCH_DAYS"] ?? 90);
const DEVICES = 40;
const ROUNDS = 5;
const DAY = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
const now = instant(Date.now());

interface Case {
  readonly name: string;
  readonly filter: ExecutionFilter;
}

function cases(siteId: string, deviceIds: readonly string[]): readonly Case[] {
  const ago = (days: number): Instant => instant(now - days * DAY);
  const options = {
    where: {
      device: { siteId, deviceIds: deviceIds.slice(0, 1) },
      site: { siteId },
      devices: { siteId, deviceIds: deviceIds.slice(0, 5) },
    },
    name: { any: {}, read_status: { names: ["read_status"] }, rare: { names: ["factory_reset", "reboot"] } },
    state: {
      any: {},
      SUCCESS: { states: ["SUCCESS"] },
      ERROR: { states: ["ERROR"] },
      open: { states: ["NEW", "IN_PROGRESS"] },
    },
    retention: { PERSISTENT: {}, EPHEMERAL: { retention: "EPHEMERAL" }, ALL: { retention: "ALL" } },
    time: {
      any: {},
      day: { since: ago(1) },
      third: { since: instant(ago(DAYS * 0.66) + 1234567), before: instant(ago(DAYS * 0.33) + 7654321) },
    },
    order: { asc: {}, desc: { newestFirst: true } },
  } as const;
  let all: readonly Case[] = [
    { name: "", filter: { scope: "all", level: "system", retention: "PERSISTENT", newestFirst: false, now } },
  ];
  for (const [dimension, values] of Object.entries(options)) {
    all = all.flatMap(({ name, filter }) =>
      Object.entries(values).map(([value, part]) => ({
        name: value === "any" ? name : `${name} ${dimension}=${value}`.trim(),
        filter: { ...filter, ...part },
      })),
    );
  }
  const plain = { scope: "all", retention: "PERSISTENT", newestFirst: true, now, siteId } as const;
  return [...all, { name: "where=site level=user order=desc", filter: { ...plain, level: "user" } }];
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN;
}

const rounded = (ms: number): number => Number(ms.toFixed(2));
const slowest = (figures: ReadonlyMap<string, number>) => [...figures].sort(([, a], [, b]) => b - a);

function summary(figures: ReadonlyMap<string, number>) {
  const sorted = slowest(figures);
  return {
    count: sorted.length,
    p50: sorted[sorted.length >> 1]?.[1],
    p95: sorted[Math.floor(sorted.length * 0.05)]?.[1],
    worst: sorted[0],
  };
}

async function throughStore(records: RecordStore, all: readonly Case[]): Promise<Map<string, number>> {
  const figures = new Map<string, number>();
  for (const { name, filter } of all) {
    const items: readonly Execution[] = (await records.executions.list(filter, { limit: 100, offset: 0 })).items;
    if (items.length > 100) throw new Error("more than asked for");
    figures.set(name, rounded(await timed(() => records.executions.list(filter, { limit: 100, offset: 0 }))));
  }
  return figures;
}

async function overHttp(siteId: string, deviceId: string): Promise<Map<string, number>> {
  const busbar = await startBusbar(folder, "--data", folder);
  const token = readFileSync(join(folder, "admin.token"), "utf8").trim();
  const figures = new Map<string, number>();
  const day = new Date(now - DAY).toISOString();
  for (const query of [
    `/v3/devices/${deviceId}/commands/executions?order=created_at_desc`,
    `/v3/devices/${deviceId}/commands/executions?order=created_at_desc&state.in=error&name.in=set_power`,
    `/v3/sites/${siteId}/commands/executions?order=created_at_desc`,
    `/v3/sites/${siteId}/commands/executions?order=created_at_desc&state.in=error,timeout&retention=all`,
    `/v3/sites/${siteId}/commands/executions?created_at.gte=${day}&name.in=reboot`,
    `/v3/sites/${siteId}/commands/executions?device_id.in=${deviceId}&order=created_at_desc`,
  ]) {
    const call = async () => {
      const answer = await fetch(busbar.url + query, { headers: { "X-Service-Auth-Token": token } });
      if (answer.status !== 200) throw new Error(await answer.text());
      await answer.json();
    };
    await call();
    const shown = query.replace(deviceId, "D").replace(siteId, "S").replace(deviceId, "D").replace(day, "T");
    figures.set(shown, rounded(await timed(call)));
  }
  await busbar.stop();
  return figures;
}

try {
  const fail = (error: Error) => {
    throw error;
  };
  let records = await openRecords(folder, fail);
  const site = makeSite();
  await records.sites.insert(site, makeEntry());
  const devices = [];
  for (let n = 0; n < DEVICES; n++) devices.push(await records.devices.insert(makeDevice(site.id), makeEntry()));
  await records.close();
  const deviceIds = devices.map(({ id }) => id);
  const began = performance.now();
  const filling = { siteId: site.id, deviceIds, count: COUNT, days: DAYS, now, withOpen: true };
  fillExecutions(join(folder, "records.db"), filling);
  const fillSeconds = rounded((performance.now() - began) / 1000);
  records = await openRecords(folder, fail);
  const all = cases(site.id, deviceIds);
  const store = await throughStore(records, all);
  const deep = async (offset: number) =>
    rounded(
      await timed(() =>
        records.executions.list(
          { scope: "all", level: "system", retention: "ALL", newestFirst: false, now, siteId: site.id },
          { limit: 100, offset },
        ),
      ),
    );
  const offsets = { half: await deep(COUNT / 2), end: await deep(COUNT - 200) };
  await records.close();
  const http = await overHttp(site.id, deviceIds[0] ?? "");
  console.log(
    JSON.stringify({
      bench: "executions-list",
      executions: COUNT,
      days: DAYS,
      fill_s: fillSeconds,
      goal_ms: 50,
      store: summary(store),
      http: summary(http),
      offset_ms: offsets,
      slowest: slowest(store).slice(0, 10),
      http_ms: Object.fromEntries(http),
      store_ms: Object.fromEntries(store),
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
