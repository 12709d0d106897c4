// Lists of the last 100 among a million executions, under every combination of filters, through the store and some of them
// over HTTP. Prints one JSON line: the median of a few rounds each in milliseconds, and the worst.
// BENCH_DAYS is the time over which the executions are spread, BENCH_EXECUTIONS their number.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { DatabaseSync } from "node:sqlite";
import type { Execution, ExecutionState } from "#core/command/execution.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";
import { randomFrom } from "../test/support/random.ts";
import { makeDevice, makeEntry, makeSite } from "../test/support/records.ts";
import { startBusbar } from "../test/support/start-busbar.ts";

const COUNT = Number(process.env["BENCH_EXECUTIONS"] ?? 1_000_000);
const DAYS = Number(process.env["BENCH_DAYS"] ?? 90);
const DEVICES = 40;
const ROUNDS = 5;
const DAY = 86_400_000;
const LEVELS = { readonly: 0, user: 1, owner: 2 };

/** Sent name, manifest name, read level, share. */
const COMMANDS = [
  ["read_status", "read_status", "readonly", 0.5],
  ["set_power", "set_power", "user", 0.2],
  ["set_power_limit", "set_power", "user", 0.1],
  ["start", "start", "user", 0.08],
  ["stop", "stop", "user", 0.08],
  ["write_configuration", "write_configuration", "owner", 0.03],
  ["reboot", "reboot", "owner", 0.0099],
  ["factory_reset", "factory_reset", "owner", 0.0001],
] as const;
const STATES: readonly (readonly [ExecutionState, number])[] = [
  ["SUCCESS", 0.93],
  ["ERROR", 0.04],
  ["TIMEOUT", 0.0298],
  ["IN_PROGRESS", 0.0001],
  ["NEW", 0.0001],
];

const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
const now = instant(Date.now());
const random = randomFrom(7);

function pick<Item>(weighted: readonly Item[], share: (item: Item) => number): Item {
  let left = random();
  for (const item of weighted) {
    left -= share(item);
    if (left < 0) return item;
  }
  return weighted[0] as Item;
}

/** Writes the rows that as many inserts and responses would have left, in one go. */
function fill(siteId: string, deviceIds: readonly string[]): void {
  const database = new DatabaseSync(join(folder, "records.db"));
  database.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -200000; BEGIN");
  const insert = database.prepare(
    `INSERT INTO execution (id, group_id, site_id, device_id, created_at, arguments, sealed, attempted, is_open, deadline,
       response_state, response_payload, received_at) VALUES (?, ?, ?, ?, ?, ?, NULL, 1, ?, ?, ?, ?, ?)`,
  );
  const groups = new Map<
    string,
    { id: number; row: readonly (string | number)[]; hours: Map<number, number>; open: boolean }
  >();
  for (let n = 0; n < COUNT; n++) {
    const age = (1 - n / COUNT) * DAYS * DAY;
    const createdAt = Math.floor(now - age);
    const deviceId = deviceIds[Math.floor(random() ** 2 * deviceIds.length)] ?? "";
    const [name, manifestName, level] = pick(COMMANDS, (one) => one[3]);
    const [state] = pick(STATES, (one) => one[1]);
    const ephemeral = age < DAY && random() < 0.3 ? 1 : 0;
    const isOpen = state === "NEW" || state === "IN_PROGRESS";
    const row = [siteId, deviceId, name, manifestName, state, ephemeral, LEVELS[level]] as const;
    const key = row.join();
    const group = groups.get(key) ?? { id: groups.size + 1, row, hours: new Map<number, number>(), open: isOpen };
    groups.set(key, group);
    const hour = Math.floor(createdAt / 3_600_000);
    group.hours.set(hour, (group.hours.get(hour) ?? 0) + 1);
    const id = uuidAt(createdAt, n);
    const answer =
      state === "SUCCESS" ? '{"power":12.5,"mode":"auto"}' : state === "ERROR" ? '{"message":"busy"}' : null;
    const response =
      state === "NEW" ? null : state === "SUCCESS" ? "SUCCEEDED" : state === "ERROR" ? "ERROR" : "STARTED";
    const times = [isOpen ? 1 : 0, createdAt + 30_000] as const;
    insert.run(
      id,
      group.id,
      siteId,
      deviceId,
      createdAt,
      '{"power":12.5}',
      ...times,
      response,
      answer,
      createdAt * 1000,
    );
  }
  const insertGroup = database.prepare("INSERT INTO execution_group VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  const insertHour = database.prepare(
    "INSERT INTO execution_hour (group_id, hour, count, device_id) VALUES (?, ?, ?, ?)",
  );
  for (const { id, row, hours, open } of groups.values()) {
    insertGroup.run(
      id,
      ...row,
      [...hours.values()].reduce((sum, count) => sum + count, 0),
    );
    if (!open) for (const [hour, count] of hours) insertHour.run(id, hour, count, row[1] ?? "");
  }
  database.exec(
    "INSERT INTO execution_day SELECT group_id, hour / 24, sum(count), device_id FROM execution_hour GROUP BY 1, 2, 4",
  );
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function uuidAt(ms: number, n: number): string {
  const time = ms.toString(16).padStart(12, "0");
  const tail = (n * 2_654_435_761 + 1).toString(16).padStart(15, "0").slice(-15);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail.slice(6)}000`;
}

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
  fill(site.id, deviceIds);
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
