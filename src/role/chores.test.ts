import { afterEach, expect, test, vi } from "vitest";
import { createShares } from "#core/share/shares.ts";
import { parseDuration } from "#core/time/duration.ts";
import { oneNode } from "#service/ports/nodes.ts";
import { startChores } from "./chores.ts";
import { cloud } from "./cloud.ts";
import type { Parts } from "./parts.ts";

const DAY = 86_400_000;
const DOUBTED = Date.UTC(2026, 0, 50);
const EARLIEST = Date.UTC(2026, 0, 10);
const KEPT_SHORTLY = ["attempts to sign in", "executions", "questions to gateways", "renewals of claims", "sessions"];

afterEach(() => void vi.useRealTimers());

interface Round {
  /** The times before which each subject deletes. */
  readonly before: ReadonlyMap<string, readonly number[]>;
  readonly failures: readonly string[];
}

/** Runs every chore at least once. */
async function round(): Promise<Round> {
  vi.useFakeTimers();
  const failures: string[] = [];
  const before = new Map<string, number[]>();
  const note =
    (what: string) =>
    async (...given: readonly unknown[]) => {
      const times = given.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : [one]));
      before.set(what, [
        ...(before.get(what) ?? []),
        ...times.filter((one) => typeof one === "number" && one > 1e12).map(Number),
      ]);
      return 0;
    };
  const onePage = async () => ({ items: [{ id: "one" }], total: 1 });
  const needs = {
    now: () => DOUBTED,
    clock: { earliest: () => EARLIEST, check: () => {} },
    storage: { look: async () => {} },
    backups: { runDue: async () => {} },
    shares: createShares(),
    carriers: {},
    rollouts: { running: async () => [] },
    priceSources: { due: async () => [] },
    connectivity: { sweep: () => {} },
    nodes: oneNode(),
    refusals: { flush: async () => {} },
    authenticator: { flushUses: async () => {} },
    openSessions: { flushUses: async () => {} },
    sessions: { prune: note("sessions") },
    attempts: { prune: note("attempts to sign in") },
    deviceLog: { reportLeftOut: async () => {} },
    executions: { sweep: note("executions") },
    bulks: { open: async () => [], prune: note("bulk commands") },
    schedules: { due: async () => [] },
    controls: { prune: note("history of controls") },
    questions: { prune: note("questions to gateways") },
    notifications: { prune: note("notifications") },
    messages: { prune: note("messages to people"), backlog: async () => [] },
    controlling: { turn: async () => {} },
    deviceLogs: { prune: note("device logs") },
    alerts: { prune: note("alerts") },
    webhooks: { prune: note("deliveries") },
    outbox: { prune: note("events") },
    changes: {
      prune: async (changesBefore: number, renewalsBefore: number) => {
        await note("renewals of claims")(renewalsBefore);
        return await note("changes of gateways")(changesBefore);
      },
    },
    audit: { prune: note("audit log") },
    sites: { list: onePage },
    devices: { list: onePage },
    retentions: { get: async () => ({ attributes: new Map(), fallback: undefined }) },
    uplinks: { get: async () => undefined },
    telemetry: { drop: note("telemetry"), space: async () => undefined },
    choreHealth: {
      succeeded: () => {},
      failed: (chore: string, error: unknown) => failures.push(`${chore}: ${String(error)}`),
    },
    log: { error: () => {} },
  };
  const day = parseDuration("1d");
  const config = {
    logs: { retention: day, temporaryRetention: day },
    alerts: { retention: day },
    audit: { retention: day },
    sessions: { idle: day },
    telemetry: { retention: "1d" },
    database: {},
  };
  const parts = { ...needs, config, reportedControls: {}, liveSettings: { config: () => config } } as unknown as Parts;
  const chores = startChores(
    parts,
    cloud.subjects(parts).flatMap((subject) => subject.chores ?? []),
  );
  await vi.advanceTimersByTimeAsync(11 * 60_000);
  await chores.stop();
  return { before, failures };
}

test("after the clock was set forward by weeks, nothing is deleted that is not old by the earliest time it may be", async () => {
  const { before, failures } = await round();
  expect(failures).toEqual([]);
  expect([...before.keys()].sort()).toEqual([
    "alerts",
    "attempts to sign in",
    "audit log",
    "bulk commands",
    "changes of gateways",
    "deliveries",
    "device logs",
    "events",
    "executions",
    "history of controls",
    "messages to people",
    "notifications",
    "questions to gateways",
    "renewals of claims",
    "sessions",
    "telemetry",
  ]);
  for (const [what, times] of before) {
    expect(times.length, what).toBeGreaterThan(0);
    expect(Math.max(...times), what).toBeLessThanOrEqual(KEPT_SHORTLY.includes(what) ? EARLIEST : EARLIEST - DAY);
  }
});
