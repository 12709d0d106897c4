// A worker is added to a Citus, and parts of the tables move to it, while a node goes on: nothing acknowledged is lost, no
// command starts twice, calls wait or get a clear 503 meanwhile, and what was stored before reads the same.
import type pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { SPREAD } from "#store/postgres/spread-tables.ts";
import { partitionOf } from "#store/series/shared-store.ts";
import {
  checkNodeLoad,
  endedExecutions,
  makeNodeDevice,
  NodeLoad,
  stoppedNodes,
  storedValues,
} from "../chaos/node-load.ts";
import { NodeVictim } from "../chaos/node-victim.ts";
import { SPAN_S, startSendingDevice } from "../chaos/sending-device.ts";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import type { Postgres } from "../support/postgres.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";

const DATABASE = "moved";
/** Commands of each device between two moves. */
const CALLS = 5;
const MOVE = "SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, $4::citus.shard_transfer_mode)";
const MODES = ["force_logical", "block_writes"] as const;

sayIfWithoutCitus();

test.runIf(HAS_CITUS)(
  "a worker is added under load, takes over parts, and another one is emptied and leaves",
  async () => {
    const cluster = await startCitus();
    onTestFinished(() => cluster.stop());
    const [leaving] = cluster.workers;
    if (leaving === undefined) throw new Error("there is no worker");
    const url = await cluster.prepared(DATABASE);
    const victim = new NodeVictim({ url, flags: ["--commands-response-timeout", "20s"] });
    onTestFinished(() => victim.kill());
    await victim.start();
    const operator = await cluster.session(DATABASE);
    onTestFinished(() => operator.end());

    const quiet = await startPlace(victim);
    await quiet.some();
    await quiet.end();
    const before = await storedOf(operator, quiet.deviceId);
    const answers = await answersOf(victim, quiet);

    const places: Place[] = [];
    for (let n = 1; n <= 2; n++) {
      // Devices that come one after the other share a part of telemetry: these do not.
      await operator.query("SELECT setval(pg_get_serial_sequence('telemetry_device', 'id'), $1)", [16 * n]);
      const place = await startPlace(victim);
      await place.some();
      places.push(place);
    }
    const some = () => Promise.all(places.map((place) => place.some()));
    await some();
    const worker = await cluster.newWorker(DATABASE);
    await operator.query("SELECT citus_add_node('127.0.0.1', $1)", [worker.port]);
    // Rows of devices refer to tables of which each server has a copy.
    await operator.query("SELECT replicate_reference_tables()");
    const moves = (await partsOf(operator, [quiet, ...places])).slice(0, MODES.length);
    const points = await telemetryPartsOf(operator, places);
    expect(points).toHaveLength(2);
    const move = async (shard: number, mode: (typeof MODES)[number]) => {
      const [from] = await portsOf(operator, [shard]);
      if (from !== worker.port) await operator.query(MOVE, [shard, from, worker.port, mode]);
    };
    /** A move that the new worker does not survive leaves the part where it was. */
    const cutOff = async (table: string, shard: number, started: () => Promise<void>) => {
      const before = await portsOf(operator, [shard]);
      const there = await worker.session(DATABASE);
      const moving = started().then(
        () => "moved",
        () => "cut off",
      );
      const name = `${table}_${shard}`;
      const hasBegun = async () => (await there.query("SELECT to_regclass($1)::text AS name", [name])).rows;
      await expect.poll(hasBegun, { interval: 5 }).toEqual([{ name }]);
      await worker.crash();
      expect(await moving).toBe("cut off");
      expect(await portsOf(operator, [shard])).toEqual(before);
    };
    for (const [index, shard] of [...moves, ...points].entries()) {
      const mode = MODES[index % MODES.length] ?? "force_logical";
      if (index === 0) await cutOff("execution", shard, () => move(shard, mode));
      if (shard === points[0]) await cutOff("telemetry_journal", shard, () => move(shard, mode));
      // The coordinator notices by a statement that its connection is lost.
      await expect.poll(() => move(shard, mode).then(() => "moved", String)).toBe("moved");
      // The load goes on while it moves, and a while longer.
      await some();
    }
    expect(await portsOf(operator, [...moves, ...points]), "parts on the new worker").toEqual([worker.port]);
    // A device that is made now goes to all servers.
    places.push(await startPlace(victim));
    await operator.query("SELECT citus_drain_node('127.0.0.1', $1, 'force_logical')", [leaving.port]);
    await operator.query("SELECT citus_remove_node('127.0.0.1', $1)", [leaving.port]);
    await leaving.crash();
    await some();

    await Promise.all(places.map((place) => place.end()));
    for (const { load, device, deviceId, lostPoints, sender } of [quiet, ...places]) {
      await checkNodeLoad(load, device, await endedExecutions(victim, deviceId));
      expect([...load.refusals].filter((one) => one !== "503 storage_unavailable 1")).toEqual([]);
      await expect.poll(lostPoints).toEqual([]);
      expect(sender.acknowledged.size).toBeGreaterThan(0);
    }
    expect(await storedOf(operator, quiet.deviceId)).toEqual(before);
    expect(await answersOf(victim, quiet)).toEqual(answers);
    const all = [...places].map(({ load, sender }) => [
      load.acknowledged.size,
      sender.acknowledged.size,
      [...load.refusals],
    ]);
    console.log(
      `${moves.length} parts of devices and ${points.length} of telemetry moved; executions, points and refusals: ${JSON.stringify(all)}`,
    );
    expect(await stoppedNodes([victim])).toEqual([0]);
  },
);

type Place = Awaited<ReturnType<typeof startPlace>>;

/** A device under load: commands, and points of hours that are over. */
async function startPlace(victim: NodeVictim) {
  const port = victim.current?.mqttPort ?? 0;
  const { deviceId, device, config } = await makeNodeDevice(victim, { port });
  onTestFinished(() => device.close());
  const firstSecond = Math.floor(Date.now() / 1_000) - SPAN_S;
  const sender = await startSendingDevice({ ...config, mqtt_port: port }, firstSecond);
  onTestFinished(() => sender.close());
  const load = new NodeLoad();
  load.limit = Number.POSITIVE_INFINITY;
  const running = load.run([victim], deviceId);
  return {
    ...{ deviceId, device, sender, load, firstSecond },
    async some() {
      const goal = load.acknowledged.size + CALLS;
      const points = sender.acknowledged.size + CALLS;
      await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
      await expect.poll(() => sender.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(points);
    },
    async end() {
      load.isOver = true;
      await sender.pause();
      await running;
      await endedExecutions(victim, deviceId);
    },
    async lostPoints() {
      const values = await storedValues([victim], { deviceId, firstSecond });
      return values && [...sender.acknowledged].filter((n) => !values.has(n));
    },
  };
}

/** Those of these devices in their order, and then all others. */
async function partsOf(operator: pg.Client, places: readonly Place[]): Promise<readonly number[]> {
  const { rows } = await operator.query<{ shard: string }>(
    `SELECT get_shard_id_for_distribution_column('execution', id) AS shard FROM unnest($1::text[]) WITH ORDINALITY AS one(id)
     UNION ALL SELECT shardid FROM pg_dist_shard WHERE logicalrelid = 'execution'::regclass`,
    [places.map(({ deviceId }) => deviceId)],
  );
  return [...new Set(rows.map(({ shard }) => Number(shard)))];
}

/** Those in which the telemetry of these devices is. */
async function telemetryPartsOf(operator: pg.Client, places: readonly Place[]): Promise<readonly number[]> {
  const { rows } = await operator.query<{ id: string }>("SELECT id FROM telemetry_device WHERE device_id = ANY ($1)", [
    places.map(({ deviceId }) => deviceId),
  ]);
  const found = await operator.query<{ shard: string }>(
    "SELECT get_shard_id_for_distribution_column('telemetry_journal', one) AS shard FROM unnest($1::smallint[]) AS one",
    [rows.map(({ id }) => partitionOf(Number(id)))],
  );
  return [...new Set(found.rows.map(({ shard }) => Number(shard)))];
}

async function portsOf(operator: pg.Client, shards: readonly number[]): Promise<readonly Postgres["port"][]> {
  const { rows } = await operator.query<{ port: number }>(
    "SELECT DISTINCT nodeport AS port FROM citus_shards WHERE shardid = ANY ($1::bigint[])",
    [shards],
  );
  return rows.map(({ port }) => port);
}

/** All rows of a device, of each spread table. */
async function storedOf(operator: pg.Client, deviceId: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const found: Record<string, readonly string[]> = {};
  for (const table of Object.keys(SPREAD)) {
    const { rows } = await operator.query<{ row: string }>(
      `SELECT one::text AS row FROM ${table} AS one WHERE device_id = $1 ORDER BY 1`,
      [deviceId],
    );
    found[table] = rows.map(({ row }) => row);
  }
  expect(found["execution_response"]?.length).toBeGreaterThan(0);
  return found;
}

async function answersOf(victim: NodeVictim, { deviceId, firstSecond }: Place) {
  const get = async (path: string) => (await victim.current?.session.get(path))?.body;
  return {
    executions: await get(`/v3/devices/${deviceId}/commands/executions?limit=1000`),
    values: await storedValues([victim], { deviceId, firstSecond }),
  };
}
