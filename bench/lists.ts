// What lists and counts over a million rows of the audit log cost the main thread, through the store and read directly on it.
// Prints one JSON line: processor time of the main thread in milliseconds, and how many times less the store takes.
// BENCH_ROWS is the number of entries.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AuditFilter } from "#service/ports/audit-store.ts";
import { openRecords } from "#store/sqlite/open-records.ts";

const ROWS = Number(process.env["BENCH_ROWS"] ?? 1_000_000);
const ROUNDS = 5;

/** Processor time that the task takes on the main thread, in milliseconds; the median of some rounds. */
async function mainThreadMs(task: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.threadCpuUsage();
    await task();
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1_000);
  }
  return Number((times.sort((a, b) => a - b)[ROUNDS >> 1] ?? Number.NaN).toFixed(2));
}

const folder = mkdtempSync(join(tmpdir(), "busbar-bench-"));
try {
  const records = await openRecords(folder, (error) => {
    throw error;
  });
  const database = new DatabaseSync(join(folder, "records.db"));
  database.exec(`PRAGMA synchronous = OFF;
    INSERT INTO audit (id, at, actor_token_id, actor_name, action, site_id, target, outcome, request_id, remote_address, details)
    WITH n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n LIMIT ${ROWS})
    SELECT printf('%036d', n), n, 'token ' || (n % 50), 'operator', CASE n % 1000 WHEN 0 THEN 'createSite' ELSE 'executeCommand' END,
      'site ' || (n % 20), '{"siteId":"site","deviceId":"device"}', 'OK', 'request', '127.0.0.1', '{"name":"start"}' FROM n;`);
  const filter: AuditFilter = { reader: { tokenId: "admin", sites: "all" }, newestFirst: true };
  const first = { limit: 100, offset: 0 };
  const lists = {
    first_page: () => records.audit.list(filter, first),
    deep_page: () => records.audit.list(filter, { limit: 100, offset: ROWS / 2 }),
    by_action: () => records.audit.list({ ...filter, actions: ["createSite"] }, first),
    of_one_site: () => records.audit.list({ ...filter, reader: { tokenId: "", sites: new Set(["site 1"]) } }, first),
  };
  await records.audit.list(filter, first);
  const store: Record<string, number> = {};
  for (const [name, task] of Object.entries(lists)) store[name] = await mainThreadMs(task);
  const count = database.prepare("SELECT count(*) FROM audit WHERE action = 'createSite'");
  const direct = await mainThreadMs(async () => count.all());
  const ratio = Number((direct / Math.max(...Object.values(store))).toFixed(1));
  console.log(JSON.stringify({ rows: ROWS, main_thread_ms: store, direct_ms: direct, ratio, meets: ratio > 10 }));
  database.close();
  await records.close();
} finally {
  rmSync(folder, { recursive: true });
}
