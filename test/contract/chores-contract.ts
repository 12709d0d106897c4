// Everything that is deleted by its age, with the real clock: its times must be ones that both databases take.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { parseDuration } from "#core/time/duration.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { startChores } from "#role/chores.ts";
import { createClocks, watchClock } from "#role/clocks.ts";
import { cloud } from "#role/cloud.ts";
import type { Parts } from "#role/parts.ts";
import { createChoreHealth } from "#service/chore-health.ts";
import type { RecordStore } from "#service/ports/record-store.ts";
import { createTroubles } from "#service/troubles.ts";
import { asNew, makeExecution, makeKey } from "../support/executions.ts";
import { makeEntry, makeSession } from "../support/records.ts";
import { raised } from "./alert-store-contract.ts";
import { makeChange } from "./change-store-contract.ts";
import { newDevice } from "./record-store-contract.ts";
import { makeNotice, makeWebhook } from "./webhook-store-contract.ts";

export interface ChoreWorld {
  /** One or more nodes on the same empty records. */
  readonly nodes: readonly RecordStore[];
  /** What a statement finds in the database itself. */
  rows(sql: string): Promise<readonly Record<string, unknown>[]>;
}

const OLD = instant(Date.UTC(2020, 0, 1));
/** What is deleted by its age, by table. */
const TABLES = [
  "alert",
  "audit",
  "device_log",
  "event",
  "execution",
  "gateway_change",
  "idempotency",
  "session",
  "webhook_delivery",
] as const;
const DELIVERED = { state: "DELIVERED", attempts: 1, nextAttemptAt: undefined, status: 200, error: undefined } as const;
const EVENT = { kind: "connectivity", siteId: "s", deviceId: "d", readLevel: "readonly", data: "{}" } as const;

export function choresContract(open: () => Promise<ChoreWorld>): void {
  test("chores delete what is old, and nothing else, by the real clock", async () => {
    const { nodes, rows } = await open();
    const [first] = nodes;
    if (first === undefined) throw new Error("there is no node");
    const counts = async () => {
      const found = new Map<string, number>();
      for (const table of TABLES)
        found.set(table, Number((await rows(`SELECT count(*) AS n FROM ${table}`))[0]?.["n"]));
      return found;
    };
    await storeAt(first, OLD);
    await rows("UPDATE event SET stored_at = 1");
    const old = await counts();
    for (const table of TABLES) expect(old.get(table), table).toBeGreaterThan(0);
    await storeAt(first, instant(Date.now()));
    const all = await counts();
    const failed = await runChores(nodes);
    expect(failed).toEqual([]);
    expect([...(await counts())]).toEqual([...all].map(([table, count]) => [table, count - (old.get(table) ?? 0)]));
  });
}

/** One of each kind, as old as that. */
async function storeAt(stores: RecordStore, at: Instant): Promise<void> {
  const trail = () => makeEntry({ at });
  const { deviceId, siteId } = await newDevice({
    ...stores,
    sites: { ...stores.sites, insert: (site) => stores.sites.insert(site, trail()) },
    devices: { ...stores.devices, insert: (device) => stores.devices.insert(device, trail()) },
  });
  await stores.audit.append([trail()]);
  const expiresAt = instant(at + 86_400_000);
  const session = makeSession({ createdAt: at, renewedAt: at, lastUsedAt: at, expiresAt });
  await stores.sessions.insert({ session, replaces: undefined, most: 9 }, trail());
  const execution = makeExecution({ deviceId, siteId }, { ephemeral: true, createdAt: at, deadline: expiresAt });
  const { id } = execution;
  await stores.executions.insert(asNew(execution, { idempotency: makeKey(execution, id) }), trail());
  await stores.executions.expire(id, expiresAt);
  const line = {
    takenAt: at,
    receivedAt: (at * 1_000) as never,
    severity: "info",
    message: "m",
    persist: false,
  } as const;
  await stores.deviceLogs.append(deviceId, [line], 1_000_000);
  const alert = raised("a", 0, { raisedAt: at, hardensAt: at });
  const nothing = { events: [], notices: [] };
  await stores.alerts.record(deviceId, [{ kind: "raised", at, alert }], nothing);
  await stores.alerts.record(deviceId, [{ kind: "cleared", at, alert }], nothing);
  const webhook = makeWebhook({ createdAt: at });
  await stores.webhooks.insert(webhook, trail());
  await stores.webhooks.enqueue([makeNotice(id, 0, { occurredAt: at, queuedAt: at })]);
  const { items } = await stores.webhooks.deliveries(
    webhook.id,
    { states: ["PENDING"], newestFirst: true },
    { limit: 9, offset: 0 },
  );
  for (const delivery of items) await stores.webhooks.settle(delivery.id, { ...DELIVERED, finishedAt: at });
  const change = makeChange({ createdAt: at, awaitedUntil: at });
  await stores.changes.ask(change, trail());
  await stores.changes.settle(change.id, {
    outcome: { state: "REFUSED", errors: [] },
    at,
    rebased: [],
    events: [],
  });
  await stores.outbox.append([{ ...EVENT, at }]);
}

/** Each chore of each node once, as a node of the program runs them. Returns what failed. */
async function runChores(nodes: readonly RecordStore[]): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-chores-"));
  const troubles = createTroubles(() => {});
  const choreHealth = createChoreHealth(troubles);
  // Only the waiting is made up: the clocks are real.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => {
    vi.useRealTimers();
    rmSync(folder, { recursive: true });
  });
  const running = nodes.map((records) => {
    const clocks = createClocks();
    const nothing = async () => {};
    const day = parseDuration("1d");
    const config = {
      data: folder,
      devices: { silence: day },
      logs: { retention: day, temporaryRetention: day },
      alerts: { retention: day },
      audit: { retention: day },
      sessions: { idle: day },
      telemetry: { retention: "1d", maxSize: "unlimited" },
      database: {},
    };
    const parts = {
      ...records,
      ...clocks,
      config,
      shares: createShares(),
      carriers: {},
      clock: watchClock(folder, troubles, clocks),
      choreHealth,
      liveSettings: { config: () => config },
      storage: { look: nothing },
      backups: { runDue: nothing },
      connectivity: { sweep: () => {}, heardHere: () => [] },
      presence: { announce: () => [], others: () => 0 },
      refusals: { flush: nothing },
      authenticator: { flushUses: nothing },
      openSessions: { flushUses: nothing },
      deviceLog: { reportLeftOut: nothing },
      dispatcher: { endOverdue: nothing },
      telemetry: { drop: async () => 0, space: async () => undefined },
      log: { error: () => {} },
      controlling: { turn: nothing },
    };
    const subjects = cloud.subjects(parts as unknown as Parts);
    return startChores(
      parts as never,
      subjects.flatMap((subject) => subject.chores ?? []),
    );
  });
  vi.advanceTimersByTime(10 * 60_000);
  await Promise.all(running.map((chores) => chores.stop()));
  return [...choreHealth.failures().keys()];
}
