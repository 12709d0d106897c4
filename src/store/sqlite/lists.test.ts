// Which reads of lists and counts run on the main thread: those that touch few rows.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import { createAlertStore } from "#store/records/alert-store.ts";
import { createAuditStore } from "#store/records/audit-store.ts";
import { createBlueprintStore } from "#store/records/blueprint-store.ts";
import { createDeviceLogStore } from "#store/records/device-log-store.ts";
import { createDeviceStore } from "#store/records/device-store.ts";
import { createExecutionStore } from "#store/records/execution-store.ts";
import { createSiteStore } from "#store/records/site-store.ts";
import { createWebhookStore } from "#store/records/webhook-store.ts";
import type { Writer } from "#store/records/writer.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection, type Row, type Value } from "./connection.ts";
import { createLists } from "./lists.ts";
import { migrate } from "./migrate.ts";
import { openReadPool } from "./read-pool.ts";
import { createRecordReader } from "./record-reader.ts";

const NOBODY = undefined as unknown as Writer;
const HOUR = 3_600_000;

/** Remembers how many rows each read gave, and by which statement. */
class Watched extends Connection {
  readonly reads: { readonly sql: string; readonly rows: number }[] = [];

  override get(sql: string, ...values: readonly Value[]): Row | undefined {
    this.reads.push({ sql, rows: 1 });
    return super.get(sql, ...values);
  }

  override all(sql: string, ...values: readonly Value[]): readonly Row[] {
    const rows = super.all(sql, ...values);
    this.reads.push({ sql, rows: rows.length });
    return rows;
  }
}

/** Every table with so many rows, of one site, one device with a log and alerts, one webhook, and one group of executions. */
function fill(file: string, count: number): void {
  const database = new Connection(file, "write");
  migrate(database);
  const numbers = `WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ${count})`;
  database.script(`PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN;
    INSERT INTO site (id, name, timezone, location, created_at, updated_at) ${numbers}
      SELECT 'site ' || n, 'x', 'UTC', NULL, n, n FROM n;
    INSERT INTO blueprint ${numbers} SELECT 'blueprint ' || n, 'x', n, n, 1, '[]', n, NULL FROM n;
    INSERT INTO device (id, site_id, name, slug, type, created_at, updated_at)
      ${numbers} SELECT 'device ' || n, 'site 1', 'x', 'slug ' || n, 'LUA', n, n FROM n;
    INSERT INTO audit (id, at, action, target, outcome, request_id, remote_address, details)
      ${numbers} SELECT 'entry ' || n, n, 'createSite', '{}', 'OK', 'r', 'l', '{}' FROM n;
    INSERT INTO device_log (device_id, received_at, taken_at, severity, message, persist)
      ${numbers} SELECT 'device 1', n * 1000, n, 'info', 'x', 1 FROM n;
    INSERT INTO alert (device_id, source, alert_id, raised_at, site_id, severity, read_level, hardens_at)
      ${numbers} SELECT 'device 1', 'alerts', 'a' || n, n, 'site 1', 'error', 0, n FROM n;
    INSERT INTO webhook_delivery (id, webhook_id, kind, occurred_at, event, state, attempts, queued_at, give_up_at)
      ${numbers} SELECT n, 'webhook', 'alert', n, '{}', 'DELIVERED', 1, n, n FROM n;
    INSERT INTO execution_group VALUES (1, 'site 1', 'device 1', 'go', 'go', 'SUCCESS', 0, 0, ${count});
    INSERT INTO execution_hour (group_id, hour, count, device_id) SELECT id, 0, ${count}, device_id FROM execution_group WHERE id = 1;
    INSERT INTO execution_day (group_id, day, count, device_id) SELECT id, 0, ${count}, device_id FROM execution_group WHERE id = 1;
    INSERT INTO execution (id, group_id, site_id, device_id, created_at, arguments, attempted, is_open, deadline)
      ${numbers} SELECT 'execution ' || n, 1, 'site 1', 'device 1', n, '{}', 1, 0, n FROM n;
    COMMIT`);
  database.close();
}

function openLists(count: number) {
  const file = join(tempFolder(), "records.db");
  fill(file, count);
  const watched = new Watched(file, "read");
  const reader = createRecordReader(watched);
  const pool = openReadPool(file);
  onTestFinished(async () => {
    watched.close();
    await pool.close();
  });
  const lists = createLists(reader, pool);
  const audit = createAuditStore(reader, NOBODY, lists);
  const executions = createExecutionStore(reader, NOBODY, lists);
  const plain: ExecutionFilter = {
    scope: "all",
    level: "system",
    retention: "ALL",
    newestFirst: true,
    now: instant(HOUR),
  };
  const listed = (filter: Partial<ExecutionFilter>) => (page: PageRequest) =>
    executions.list({ ...plain, ...filter }, page);
  const reads: Record<string, (page: PageRequest) => Promise<Page<unknown>>> = {
    sites: (page) => createSiteStore(reader, NOBODY, lists).list("all", page),
    blueprints: (page) => createBlueprintStore(reader, NOBODY, lists).list(page),
    devices: (page) => createDeviceStore(reader, NOBODY, lists).list({ scope: "all", types: ["LUA"] }, page),
    audit: (page) => audit.list({ reader: { tokenId: "", sites: "all" }, newestFirst: true }, page),
    "audit by action": (page) =>
      audit.list({ reader: { tokenId: "", sites: "all" }, newestFirst: true, actions: ["createSite"] }, page),
    "device log": (page) => createDeviceLogStore(reader, NOBODY, lists).list("device 1", { newestFirst: true }, page),
    alerts: (page) =>
      createAlertStore(reader, NOBODY, lists).list(
        { scope: "all", level: "system", active: true, newestFirst: true },
        page,
      ),
    deliveries: (page) => createWebhookStore(reader, NOBODY, lists).deliveries("webhook", { newestFirst: true }, page),
    "executions between": listed({ since: instant(0), before: instant(HOUR / 2) }),
    "executions of a device between": listed({ deviceIds: ["device 1"], since: instant(0), before: instant(HOUR / 2) }),
    executions: listed({}),
  };
  return { reader: watched, reads };
}

test("a list of few rows is read at once", async () => {
  const { reads, reader } = openLists(50);
  for (const [name, read] of Object.entries(reads)) {
    reader.reads.length = 0;
    expect([name, (await read({ limit: 100, offset: 0 })).total]).toEqual([name, 50]);
    expect([name, reader.reads.some(({ rows }) => rows === 50) || name]).toEqual([name, true]);
  }
});

test("a list or a count of many rows is read on a thread, and answers the same", async () => {
  const { reads, reader } = openLists(5_000);
  for (const [name, read] of Object.entries(reads)) {
    for (const page of [
      { limit: 10, offset: 2_500 },
      { limit: 0, offset: 0 },
    ]) {
      reader.reads.length = 0;
      const { items, total } = await read(page);
      expect([name, items.length, total]).toEqual([name, page.limit, 5_000]);
      if (name === "executions" && page.limit === 0) continue; // their number is one counter
      const onMain = reader.reads.filter(
        ({ sql }) => !/ LIMIT 1001\) AS some$| OFFSET 300$|^SELECT .* FROM execution_group/.test(sql),
      );
      expect([name, onMain]).toEqual([name, []]);
    }
  }
});

test("the first page of many executions is read at once: their number is a counter", async () => {
  const { reads, reader } = openLists(5_000);
  expect(await reads["executions"]?.({ limit: 10, offset: 0 })).toMatchObject({ total: 5_000 });
  expect(reader.reads.at(-1)?.rows).toBe(10);
});
