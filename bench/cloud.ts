// Busbar on PostgreSQL next to Busbar on its embedded store, with the same installation, on one machine, in one run: the
// queries of bench/telemetry, bytes a point, durable points a second through MQTT with one and two nodes, and commands
// whose device is at the same node or at another one. Plain PostgreSQL tables answer the same queries where PostgreSQL is
// installed. Prints a table on stderr and one JSON line; what counts are the ratios to the embedded store.
// Each stage says what it found when it ends, so that a run that is cut short is not lost.
//   npm run bench -- cloud [--full] [--runs 200] [--parts queries,plain,ingest,commands] [--only q1,q5] [--spread]
// It takes about six minutes with ten devices for a day and a series of 60 days. `--full` has 50 devices and a year, which take
// plain tables a quarter of an hour alone. Without queries there is little telemetry. `--only` names queries by their beginnings.
// `--spread` compares a database that Citus spreads over two workers with one server, where Citus is installed: the same
// figures, what each part of a table carries, and the plans of the statements that run.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import pg from "pg";
import { migrate } from "#role/migrate.ts";
import { POSTGRES_VERSIONS, startPostgres as startServer } from "../test/support/postgres.ts";
import { measureCommands } from "./cloud/measure-commands.ts";
import { measureIngest } from "./cloud/measure-ingest.ts";
import { measureSpread } from "./cloud/measure-spread.ts";
import { nodeOf } from "./cloud/node-of.ts";
import { type Busbar, fileBytes, loadSeries, prepareSite, startBusbar, telemetryFile } from "./telemetry/busbar.ts";
import { type Size, sizeOf } from "./telemetry/data.ts";
import { difference, type Engine, questions } from "./telemetry/engine.ts";
import { measureQueries, report } from "./telemetry/measure-queries.ts";
import { startPostgres } from "./telemetry/postgres.ts";

const { values } = parseArgs({
  options: {
    full: { type: "boolean", default: false },
    runs: { type: "string", default: "200" },
    parts: { type: "string", default: "queries,plain,ingest,commands" },
    only: { type: "string", default: "q" },
    spread: { type: "boolean", default: false },
  },
});
const parts = new Set(values.parts.split(","));
const size: Size = values.full
  ? sizeOf(1)
  : parts.has("queries")
    ? { devices: 10, hours: 24, days: 60 }
    : { devices: 10, hours: 1, days: 1 };
const asked = questions(size).filter(({ name }) => values.only.split(",").some((begin) => name.startsWith(begin)));
const begun = performance.now();
const say = (text: string) => process.stderr.write(`[${Math.round((performance.now() - begun) / 1_000)} s] ${text}\n`);
const round = (value: number, places = 2) => Math.round(value * 10 ** places) / 10 ** places;

const PLAIN_PORT = 18_528;
/** Plain tables take seconds for what takes the others milliseconds, so a few answers of them have to do. */
const PLAIN_RUNS = 5;

/** On a disk: a temporary folder may lie in memory, where a commit costs nothing. */
const folder = mkdtempSync(join("/var/tmp", "bench-cloud-"));
chmodSync(folder, 0o755);
const stops: (() => Promise<void>)[] = [() => Promise.resolve(rmSync(folder, { recursive: true, force: true }))];
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void stopAll().finally(() => process.exit(1)));
}
try {
  const runs = Number(values.runs);
  const figures = values.spread
    ? await measureSpread({ folder, size, parts, asked, runs, say, onStop: (stop) => void stops.push(stop) })
    : await measure();
  console.log(
    JSON.stringify({ ...figures, cores: availableParallelism(), load: loadavg().map((one) => round(one, 1)) }),
  );
} finally {
  await stopAll();
}

/** Whatever was started ends, also when the run is broken off. */
async function stopAll(): Promise<void> {
  for (const stop of stops.splice(0).reverse()) await stop().catch((error: unknown) => say(String(error)));
}

async function measure(): Promise<object> {
  say(`${size.devices} devices x 20 attributes x 1 Hz x ${size.hours} h, and ${size.days} d x 1 Hz`);
  const version = POSTGRES_VERSIONS.at(-1) ?? 18;
  const server = await startServer({ version, fsync: true, parent: folder });
  stops.push(() => server.stop());
  const url = await server.database("cloud");
  const site = await prepareSite(folder, size);
  const loaded = await loadSeries("all", telemetryFile(site), { devices: site.devices, size });
  say(`loaded ${loaded.points} points, now moving them`);
  const moving = performance.now();
  const moved = await migrate({ from: site.folder, to: url, say });
  const moveSeconds = (performance.now() - moving) / 1_000;
  if (moved.telemetry.points !== loaded.points) throw new Error("the move lost points");
  const bytes = await tableBytes(url);
  const bytesPerPoint = {
    embedded: round(fileBytes(telemetryFile(site)).used / loaded.points, 3),
    tables: round(bytes.tables / loaded.points, 3),
    indexes: round(bytes.indexes / loaded.points, 3),
  };
  say(`moved in ${round(moveSeconds)} s; bytes a point ${JSON.stringify(bytesPerPoint)}`);

  // Without kept buckets, as PostgreSQL has none: like is compared with like.
  const embedded = await startBusbar(site, { name: "embedded", bucketCacheMb: 0 });
  stops.push(() => embedded.stop());
  const one = await startBusbar(nodeOf(site, join(folder, "one")), { name: "cloud", database: url });
  stops.push(() => one.stop());
  const found = parts.has("queries") ? await compareQueries(embedded, one) : undefined;
  const two = await startBusbar(nodeOf(site, join(folder, "two")), { name: "cloud 2", database: url });
  stops.push(() => two.stop());
  const perSecond = parts.has("ingest")
    ? await measureIngest(site, { embedded: [embedded], oneNode: [one], twoNodes: [one, two] }, say)
    : undefined;
  const commands = parts.has("commands")
    ? await measureCommands({ baseline: embedded, one, two, databases: [url] }, say)
    : {};
  const figures = {
    bench: "cloud",
    postgres: version,
    size,
    points: loaded.points,
    move: { seconds: round(moveSeconds), pointsPerSecond: Math.round(loaded.points / moveSeconds) },
    bytesPerPoint,
    ...found,
    ...(perSecond && { ingest: { perSecond, oneOverEmbedded: round(perSecond.oneNode / perSecond.embedded) } }),
    commands,
  };
  say(JSON.stringify(figures, undefined, 2));
  return figures;
}

async function tableBytes(url: string): Promise<{ readonly tables: number; readonly indexes: number }> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("VACUUM ANALYZE");
    const each = await client.query<{ name: string; bytes: string }>(
      `SELECT regexp_replace(relname, '_\\d+$', '') AS name, sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
       WHERE relkind = 'r' AND relname LIKE 'telemetry\\_%' GROUP BY name ORDER BY bytes DESC LIMIT 4`,
    );
    say(each.rows.map(({ name, bytes }) => `${name} ${round(Number(bytes) / 1024 / 1024)} MiB`).join(", "));
    const { rows } = await client.query<{ tables: string; indexes: string }>(
      `SELECT sum(pg_table_size(oid)) AS tables, sum(pg_indexes_size(oid)) AS indexes FROM pg_class
       WHERE relkind = 'r' AND relname LIKE 'telemetry\\_%'`,
    );
    return { tables: Number(rows[0]?.tables), indexes: Number(rows[0]?.indexes) };
  } finally {
    await client.end();
  }
}

interface Ratios {
  readonly question: string;
  readonly embeddedMs: number;
  readonly cloudMs: number;
  readonly cloudOverEmbedded: number;
  readonly plainMs?: number;
  readonly plainOverCloud?: number;
}

/** How many times as long the cloud takes as the embedded store, and how many times as fast it is as plain tables. */
async function compareQueries(embedded: Busbar, cloud: Busbar): Promise<object> {
  const runs = Number(values.runs);
  const { queries, fourClients } = await measureQueries([embedded, cloud], size, { runs, say, all: asked });
  say(`\n${report({ queries, fourClients })}`);
  const plain = parts.has("plain") ? await measurePlainTables(cloud) : new Map<string, number>();
  const ratios = queries.map(({ question, engines }): Ratios => {
    const [embeddedMs = Number.NaN, cloudMs = Number.NaN] = [engines["embedded"]?.p50, engines["cloud"]?.p50];
    const plainMs = plain.get(question);
    return {
      question,
      embeddedMs,
      cloudMs,
      cloudOverEmbedded: round(cloudMs / embeddedMs),
      ...(plainMs !== undefined && { plainMs: round(plainMs), plainOverCloud: round(plainMs / cloudMs) }),
    };
  });
  for (const one of ratios) say(JSON.stringify(one));
  return { ratios, queries, fourClients };
}

/** The median of each question, after an answer that has to be the cloud's. Nothing where PostgreSQL is not installed. */
async function measurePlainTables(cloud: Busbar): Promise<ReadonlyMap<string, number>> {
  const medians = new Map<string, number>();
  const plain = await startPlainTables();
  if (plain === undefined) {
    say("without plain tables: PostgreSQL is not installed");
    return medians;
  }
  stops.push(() => plain.stop());
  say("loading plain tables");
  await plain.load(size);
  for (const question of asked) {
    const ask = () => plain.ask(question, false);
    const found = difference(
      cloud.parse(question, await cloud.ask(question, false)),
      plain.parse(question, await ask()),
    );
    if (found !== undefined) throw new Error(`${question.name}: the cloud and plain tables differ ${found}`);
    const times: number[] = [];
    for (let run = 0; run < PLAIN_RUNS; run++) {
      const started = performance.now();
      await ask();
      times.push(performance.now() - started);
    }
    medians.set(question.name, times.sort((a, b) => a - b)[Math.floor(PLAIN_RUNS / 2)] ?? Number.NaN);
    say(`plain tables, ${question.name}: ${round(medians.get(question.name) ?? 0)} ms`);
  }
  await stops.pop()?.();
  return medians;
}

async function startPlainTables(): Promise<(Engine & { load(size: Size): Promise<unknown> }) | undefined> {
  try {
    return await startPostgres(folder, PLAIN_PORT);
  } catch {
    return undefined;
  }
}
