// A database that Citus spreads over a coordinator and two workers beside one server of the same version, on one machine, with
// the same installation. The three servers share its cores and its disk, so a loss is to be expected; what counts is how
// large it is, what each worker carries, and that a statement about a device goes to one part of a table.
import { join } from "node:path";
import type pg from "pg";
import { migrate } from "#role/migrate.ts";
import { type Citus, HAS_CITUS, startCitus, WITHOUT_CITUS } from "../../test/support/citus.ts";
import { type Postgres, startPostgres } from "../../test/support/postgres.ts";
import { type Busbar, loadSeries, prepareSite, type Site, startBusbar, telemetryFile } from "../telemetry/busbar.ts";
import type { Size } from "../telemetry/data.ts";
import type { Question } from "../telemetry/engine.ts";
import { measureQueries, report } from "../telemetry/measure-queries.ts";
import { measureCommands, openDevice } from "./measure-commands.ts";
import { measureIngest } from "./measure-ingest.ts";
import { nodeOf } from "./node-of.ts";
import { LOG_PLANS, plansWhile } from "./plans.ts";

interface SpreadBench {
  readonly folder: string;
  readonly size: Size;
  readonly parts: ReadonlySet<string>;
  readonly asked: readonly Question[];
  readonly runs: number;
  readonly say: (text: string) => void;
  onStop(stop: () => Promise<void>): void;
}

const NAME = "cloud";
const SHARDS = 8;

export async function measureSpread({ folder, size, parts, asked, runs, say, onStop }: SpreadBench): Promise<object> {
  if (!HAS_CITUS) throw new Error(WITHOUT_CITUS);
  const server = await startPostgres({ version: 15, fsync: true, parent: folder, settings: { max_connections: 150 } });
  onStop(() => server.stop());
  const citus = await startCitus({ fsync: true, parent: folder, settings: LOG_PLANS }, SHARDS);
  onStop(() => citus.stop());
  const urls = { one: await server.database(NAME), spread: await citus.database(NAME) };
  const site = await prepareSite(folder, size);
  const { points } = await loadSeries("all", telemetryFile(site), { devices: site.devices, size });
  for (const to of Object.values(urls)) {
    const moved = await migrate({ from: site.folder, to, say });
    if (moved.telemetry.points !== points) throw new Error("the move lost points");
  }
  say(`${points} points are in both`);
  const start = async (name: string, database: string): Promise<Busbar> => {
    const node = await startBusbar(nodeOf(site, join(folder, name.replace(" ", "-"))), { name, database });
    onStop(() => node.stop());
    return node;
  };
  const one = await start("one server", urls.one);
  const spread = await start("spread", urls.spread);
  const bytesPerPoint = {
    oneServer: await telemetryBytes([server], points),
    spread: await telemetryBytes([citus.coordinator, ...citus.workers], points),
  };
  say(`bytes a point ${JSON.stringify(bytesPerPoint)}`);
  const queries = parts.has("queries")
    ? await measureQueries([spread, one], size, { runs, say, all: asked })
    : undefined;
  if (queries !== undefined) say(`\n${report(queries)}`);
  const second = await start("spread two", urls.spread);
  const ingest = parts.has("ingest") ? await ingestOf(site, { one, spread, second, say }) : {};
  const databases = [citus.coordinator, ...citus.workers].map(
    ({ port }) => `postgres://busbar@127.0.0.1:${port}/${NAME}`,
  );
  const commands = parts.has("commands")
    ? await measureCommands({ baseline: one, one: spread, two: second, databases, baselineDatabases: [urls.one] }, say)
    : {};
  const plans = await plansWhile(await citus.session(NAME), () => useOnce(spread, asked));
  const carried = await carriedBy(citus);
  const figures = { bench: "cloud spread", size, points, shards: SHARDS, bytesPerPoint, ...queries, ingest, commands };
  say(JSON.stringify({ ...figures, carried, plans }, undefined, 2));
  return { ...figures, carried, plans };
}

interface Ingest {
  readonly one: Busbar;
  readonly spread: Busbar;
  readonly second: Busbar;
  readonly say: (text: string) => void;
}

async function ingestOf(site: Site, { one, spread, second, say }: Ingest): Promise<object> {
  const engines = { oneServer: [one], spread: [spread], spreadTwoNodes: [spread, second] };
  const perSecond = await measureIngest(site, engines, say);
  return { perSecond, spreadOverOneServer: Math.round((perSecond.spread / perSecond.oneServer) * 100) / 100 };
}

/** What people and devices cause most: a command from its call to its end, its list, values, logs, alerts, and each query. */
async function useOnce(node: Busbar, asked: readonly Question[]): Promise<void> {
  const { id, call, close } = await openDevice(node, node);
  for (let n = 0; n < 3; n++) {
    await call();
    await node.get(`/v3/devices/${id}/commands/executions?limit=10`);
    await node.get(`/v3/devices/${id}/logs?limit=10`);
    await node.get(`/v3/devices/${id}/alerts`);
    await node.get("/v3/devices?limit=10&expand=connectivity,raised_alert_names");
    for (const question of asked) await node.ask(question, false);
  }
  await close();
}

async function telemetryBytes(servers: readonly Postgres[], points: number): Promise<number> {
  let bytes = 0;
  for (const server of servers) {
    await withSession(server, async (client) => {
      await client.query("SET citus.override_table_visibility = off");
      const { rows } = await client.query<{ bytes: string }>(
        `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
         WHERE relkind = 'r' AND relname LIKE 'telemetry\\_%'`,
      );
      bytes += Number(rows[0]?.bytes);
    });
  }
  return Math.round((bytes / points) * 1_000) / 1_000;
}

/** By the port of the server: the bytes of its tables, and the executions in each part of that table. */
async function carriedBy(citus: Citus): Promise<object> {
  return await withSession(citus, async (client) => {
    const { rows: sizes } = await client.query<{ server: number; parts: string; bytes: string }>(
      `SELECT nodeport AS server, count(*) AS parts, sum(shard_size) AS bytes FROM citus_shards GROUP BY nodeport ORDER BY nodeport`,
    );
    const { rows: executions } = await client.query<{ result: string }>(
      "SELECT result FROM run_command_on_shards('execution', 'SELECT count(*) FROM %s')",
    );
    const counts = executions.map(({ result }) => Number(result)).sort((a, b) => a - b);
    return {
      servers: sizes.map(({ server, parts, bytes }) => ({ server, parts: Number(parts), bytes: Number(bytes) })),
      executionsByPart: counts,
    };
  });
}

async function withSession<Found>(
  server: Pick<Postgres, "session">,
  work: (client: pg.Client) => Promise<Found>,
): Promise<Found> {
  const client = await server.session(NAME);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
