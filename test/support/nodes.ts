// Whole Busbar nodes in this process that share one PostgreSQL.
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "#config";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { createLogger } from "#log";
import { createClocks, watchClock } from "#role/clocks.ts";
import { guardStorage } from "#role/guard-storage.ts";
import { type Started, startRole } from "#role/start-role.ts";
import { createTroubles } from "#service/troubles.ts";
import { openInstallation } from "#store/installation/open-installation.ts";
import { keepTimelines } from "#store/postgres/kept-timelines.ts";
import { openPostgresRecords } from "#store/postgres/open-records.ts";
import { openSeries } from "#store/series/open-series.ts";
import { postgresChunks } from "#store/series/postgres/open-postgres-chunks.ts";
import { createSession, type Session } from "./session.ts";

export interface Node extends Started {
  readonly data: string;
  readonly admin: Session;
  readonly log: string;
  as(token: string): Session;
  /** Leaves nothing behind but what is stored. */
  stop(): Promise<void>;
}

export interface NodeOptions {
  readonly url: string;
  /** Copies the key of sealed values from this node. */
  readonly like?: Node;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly notifications?: boolean;
  /** Its data folder; a new one, which goes with the node, unless given. */
  readonly data?: string;
}

export const NODE_ADMIN_TOKEN = "admin-token-of-all-nodes-admin-token";

/** As `openNode`, for one test. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { onTestFinished } = await import("vitest");
  const node = await openNode(options);
  onTestFinished(() => node.stop());
  return node;
}

export async function openNode(options: NodeOptions): Promise<Node> {
  const { url, like, flags = [], notifications = true } = options;
  const data = options.data ?? mkdtempSync(join(tmpdir(), "busbar-node-"));
  if (like !== undefined) copyFileSync(join(like.data, "seal.key"), join(data, "seal.key"));
  const opened = new AsyncDisposableStack();
  if (options.data === undefined) opened.defer(() => rmSync(data, { recursive: true, force: true }));
  let log = "";
  const { config } = await loadConfig({
    flags: [
      "--data",
      data,
      "--port",
      "0",
      "--role",
      "cloud",
      ...(flags.includes("--mqtt-port") ? [] : ["--mqtt-port", "0"]),
      ...flags,
    ],
    env: { BUSBAR_ADMIN_TOKEN: NODE_ADMIN_TOKEN, ...options.env },
    cwd: data,
    readFile: () => undefined,
  });
  const logger = createLogger({ ...config.log, format: "json" }, { write: (line: string) => (log += line) });
  const troubles = createTroubles(
    () => {},
    () => {},
  );
  const real = createClocks(() => {});
  const clocks = { ...real, clock: watchClock(data, troubles, real) };
  const surroundings = {
    config,
    log: logger,
    opened,
    clocks,
    troubles,
    budgets: createByteBudgets(),
    shares: createShares(),
  };
  try {
    keepTimelines(url, join(data, "database-timelines"));
    const onWaiting = ({ message }: Error) => process.stderr.write(`waits: ${message}\n`);
    const records = await openPostgresRecords(url, { allowLoss: true, notifications, onWaiting });
    opened.defer(() => records.close());
    const { budgets, shares } = surroundings;
    const series = { graceMs: 3_600_000, maxHotPoints: 100_000, readers: 1, forgetDamaged: false };
    const telemetry = await openSeries(
      postgresChunks(url),
      { ...series, shares, budgets, now: real.now, onTrouble: () => {}, onDamaged: () => {} },
      () => {},
    );
    opened.defer(() => telemetry.close());
    const storage = guardStorage(data, troubles, []);
    const started = await startRole(
      { records, telemetry, storage, installation: openInstallation(data, ON_POSTGRES) },
      surroundings,
    );
    let stopped: Promise<void> | undefined;
    const stop = () => {
      stopped ??= opened.disposeAsync();
      return stopped;
    };
    return {
      ...started,
      data,
      admin: createSession(started.url, NODE_ADMIN_TOKEN),
      as: (token) => createSession(started.url, token),
      get log() {
        return log;
      },
      stop,
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

const ON_POSTGRES = { storage: "postgres", replaceLostTelemetry: false } as const;
