// Our telemetry engine next to time-series databases on the same machine, with the same data and equal answers, in one run: query
// latencies through real HTTP, durable ingest through MQTT, backfill, bytes a point, memory, restart, and how quick small requests
// stay meanwhile. Prints a table on stderr and one JSON line. Result caches are off, also the one of finished buckets; what they give
// is printed beside it as warm.
//   npm run bench -- telemetry [--scale 0.1] [--peers victoria,influx,postgres] [--runs 1000] [--parts queries,ingest,restart]
// The whole takes eight minutes with VictoriaMetrics, the fastest peer and the only one unless others are named.
import { chmodSync, cpSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { fileBytes, loadSeries, prepareSite, type Site, startBusbar, telemetryFile } from "./telemetry/busbar.ts";
import { type Size, sizeOf } from "./telemetry/data.ts";
import type { Engine, Loaded } from "./telemetry/engine.ts";
import { startInflux } from "./telemetry/influx.ts";
import { measureIngest } from "./telemetry/measure-ingest.ts";
import { measureQueries, report } from "./telemetry/measure-queries.ts";
import { measureRestart } from "./telemetry/measure-restart.ts";
import { startPostgres } from "./telemetry/postgres.ts";
import { startVictoria } from "./telemetry/victoria.ts";

type Start = (folder: string, port: number) => Promise<Engine & { load(size: Size): Promise<Loaded> }>;

const PEERS: ReadonlyMap<string, Start> = new Map<string, Start>([
  ["victoria", startVictoria],
  ["influx", startInflux],
  ["postgres", startPostgres],
]);
const FIRST_PORT = 18_428;
/** On a disk: a temporary folder may lie in memory, where a commit costs nothing. */
const PARENT = "/var/tmp";

const { values } = parseArgs({
  options: {
    scale: { type: "string", default: "1" },
    peers: { type: "string", default: "victoria" },
    runs: { type: "string", default: "1000" },
    parts: { type: "string", default: "queries,ingest,restart" },
  },
});
const size = sizeOf(Number(values.scale));
const parts = new Set(values.parts.split(","));
const begun = performance.now();
const say = (text: string) => process.stderr.write(`[${Math.round((performance.now() - begun) / 1_000)} s] ${text}\n`);
const round = (value: number, places = 2) => Math.round(value * 10 ** places) / 10 ** places;
const MB = 1024 * 1024;

const folder = mkdtempSync(join(PARENT, "bench-telemetry-"));
// Some servers run as users of their own.
chmodSync(folder, 0o755);
const stops: (() => Promise<void>)[] = [];
try {
  console.log(JSON.stringify(await measure()));
} finally {
  for (const stop of stops.reverse()) await stop().catch((error: unknown) => say(String(error)));
  rmSync(folder, { recursive: true, force: true });
}

async function measure(): Promise<object> {
  say(
    `${size.devices} devices x 20 attributes x 1 Hz x ${size.hours} h, and ${size.days} d x 1 Hz; load ${loadavg()[0]?.toFixed(1)}`,
  );
  const site = await prepareSite(folder, size);
  say("loading into busbar");
  const loaded = await loadSeries("all", telemetryFile(site), { devices: site.devices, size });
  const bytes = fileBytes(telemetryFile(site));
  const perSecond = (one: Loaded) => Math.round(one.points / one.seconds);
  say(`busbar loaded ${loaded.points} points at ${perSecond(loaded)}/s, settled in ${round(loaded.settleSeconds)} s`);
  const kinds = await otherNumbers();

  const peers = parts.has("queries") ? await startPeers() : [];
  let queries: object = {};
  let queriedMB = Number.NaN;
  if (parts.has("queries")) {
    const ours = await startBoth(site);
    const engines = [ours, ...peers.map(({ engine }) => engine)];
    const found = await measureQueries(engines, size, { runs: Number(values.runs), say });
    say(`\n${report(found)}`);
    queries = found;
    queriedMB = round(ours.memory() / MB, 0);
    await ours.stop();
  }
  const busbar = await startBusbar(site);
  stops.push(() => busbar.stop());
  for (const { engine } of peers) await engine.stop();
  if (parts.has("ingest")) say("ingest through MQTT");
  const ingest = parts.has("ingest") ? await measureIngest(busbar, site, size) : {};
  const memory = { afterQueriesMB: queriedMB, afterIngestMB: round(busbar.memory() / MB, 0) };
  await busbar.stop();
  if (parts.has("restart")) say("restart");
  const restart = parts.has("restart") ? await measureRestart(folder, site, size) : {};

  const figures = {
    bench: "telemetry",
    cores: availableParallelism(),
    load: loadavg().map((one) => round(one, 1)),
    scale: Number(values.scale),
    size,
    points: loaded.points,
    backfill: { perSecond: perSecond(loaded), settleSeconds: round(loaded.settleSeconds) },
    bytesPerPoint: { used: round(bytes.used / loaded.points, 3), file: round(bytes.file / loaded.points, 3) },
    otherNumbers: kinds,
    peers: peers.map(({ engine, loaded: theirs, bytesPerPoint }) => ({
      name: engine.name,
      loadPerSecond: perSecond(theirs),
      bytesPerPoint: round(bytesPerPoint, 3),
    })),
    queries,
    ingest,
    memory,
    restart,
  };
  say(JSON.stringify({ ...figures, queries: undefined }, undefined, 2));
  return figures;
}

/** Two gateways with the same points: one computes every bucket, the other one keeps finished ones and answers when caches are on. */
async function startBoth(site: Site): Promise<Engine> {
  const copy = { ...site, folder: join(folder, "busbar-keeping") };
  cpSync(site.folder, copy.folder, { recursive: true });
  const [computing, keeping] = await Promise.all([startBusbar(site, { bucketCacheMb: 0 }), startBusbar(copy)]);
  const both: Engine = {
    ...computing,
    ask: (question, warm) => (warm ? keeping : computing).ask(question, warm),
    memory: () => keeping.memory(),
    async stop() {
      await Promise.all([computing.stop(), keeping.stop()]);
    },
  };
  stops.push(() => both.stop());
  return both;
}

interface Kind {
  readonly bytesPerPoint: number;
  readonly loadPerSecond: number;
}

/** Values that are no decimals. */
async function otherNumbers(): Promise<{ readonly float32: Kind; readonly double: Kind }> {
  const measureKind = async (job: "float32" | "double") => {
    const file = join(folder, `${job}.db`);
    const { points, seconds } = await loadSeries(job, file, { devices: [], size });
    const bytesPerPoint = round(fileBytes(file).used / points, 2);
    return { bytesPerPoint, loadPerSecond: Math.round(points / seconds) };
  };
  return { float32: await measureKind("float32"), double: await measureKind("double") };
}

interface Peer {
  readonly engine: Engine;
  readonly loaded: Loaded;
  readonly bytesPerPoint: number;
}

async function startPeers(): Promise<readonly Peer[]> {
  const peers: Peer[] = [];
  for (const [index, name] of values.peers.split(",").filter(Boolean).entries()) {
    const start = PEERS.get(name);
    if (start === undefined) throw new Error(`there is no peer ${name}; there are: ${[...PEERS.keys()].join(", ")}`);
    say(`loading into ${name}`);
    try {
      const engine = await start(folder, FIRST_PORT + index * 10);
      stops.push(() => engine.stop());
      const loaded = await engine.load(size);
      const bytesPerPoint = engine.size() / loaded.points;
      peers.push({ engine, loaded, bytesPerPoint });
      say(
        `${name} loaded at ${Math.round(loaded.points / loaded.seconds)}/s, ${round(bytesPerPoint, 2)} bytes a point`,
      );
    } catch (error) {
      say(`without ${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return peers;
}
