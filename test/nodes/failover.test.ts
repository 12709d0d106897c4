// PostgreSQL fails over under load: the primary is killed, its standby takes over, and the nodes find it by an address that
// names both. Nothing acknowledged is lost, nothing starts twice, calls get a clear 503 meanwhile, and an old primary that
// comes back is not written to.
import { expect, onTestFinished, test } from "vitest";
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
import { hasMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { startNode } from "../support/nodes.ts";
import { hasPostgresPair, type PostgresPair, startPostgresPair } from "../support/postgres-pair.ts";
import { randomFrom } from "../support/random.ts";
import { roundsOf } from "../support/rounds.ts";

const ROUNDS = roundsOf("failovers of PostgreSQL");
/** Executions around each event of a round: a load without end takes most of the processor while servers start. */
const CALLS = 15;
const SESSIONS = 4;

async function startPair(): Promise<PostgresPair> {
  const pair = await startPostgresPair();
  onTestFinished(() => pair.stop());
  return pair;
}

const EXECUTIONS = "SELECT count(*)::int AS count FROM execution";
/** The connections that hear notifications, and what they have claimed: the sessions of the broker among it. */
const DUTIES = `SELECT count(DISTINCT activity.pid)::int AS nodes, count(objid)::int AS claims FROM pg_stat_activity AS activity
  LEFT JOIN pg_locks AS held ON held.pid = activity.pid AND locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted
  WHERE application_name = 'busbar node'`;

test.runIf(hasPostgresPair && hasMosquitto)(
  "the nodes find the server that took over, and never write to the old one that comes back",
  { timeout: 180_000 + ROUNDS * 90_000 },
  async () => {
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    const [pair, mosquitto] = await Promise.all([startPair(), startMosquitto("anyone", { persistence: true })]);
    onTestFinished(() => mosquitto.stop());
    const flags = ["--commands-response-timeout", "3s", "--mqtt-client-id", "over", "--mqtt-sessions", `${SESSIONS}`];
    const options = { url: pair.url, flags, env: { BUSBAR_MQTT_URL: mosquitto.url } };
    const victims = [new NodeVictim(options), new NodeVictim(options)] as const;
    onTestFinished(async () => void (await Promise.all(victims.map((victim) => victim.kill()))));
    await Promise.all(victims.map((victim) => victim.start()));
    const { deviceId, device, config } = await makeNodeDevice(victims[0], mosquitto);
    onTestFinished(() => device.close());
    const firstSecond = Math.floor(Date.now() / 1_000) - SPAN_S;
    const sender = await startSendingDevice(config, firstSecond);
    onTestFinished(() => sender.close());

    const load = new NodeLoad();
    const running = load.run(victims, deviceId);
    const someCalls = async () => {
      const goal = load.acknowledged.size + CALLS;
      load.limit = goal + CALLS;
      await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
    };
    const dutiesAreTaken = () =>
      expect
        .poll(async () => {
          const [row] = await pair.onPrimary<{ nodes: number; claims: number }>(DUTIES);
          return [row?.nodes, Number(row?.claims) >= SESSIONS];
        })
        .toEqual([2, true]);
    const killedNodes: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await someCalls();
      await pair.killPrimary();
      await pair.promote();
      await someCalls();
      await dutiesAreTaken();
      await pair.reviveOld();
      const [before] = await pair.onOld(EXECUTIONS);
      const killed = random() < 0.5 ? 0 : 1;
      killedNodes.push(killed);
      await victims[killed].kill();
      await victims[killed].start();
      await someCalls();
      // The old primary is the only one that answers now, and a node that starts remembers what it has seen.
      await pair.killPrimary();
      await expect.poll(async () => (await victims[0].current?.session.get("/readyz"))?.status).toBe(503);
      await victims[killed].kill();
      victims[killed].said = "";
      const starting = victims[killed].start();
      await expect.poll(() => victims[killed].said).toContain(`is an old primary (timeline ${round + 1})`);
      await pair.startPrimary();
      await starting;
      await someCalls();
      expect(await pair.onOld(EXECUTIONS), "executions of the old primary").toEqual([before]);
      if (round + 1 < ROUNDS) await pair.rejoin();
    }
    load.isOver = true;
    await sender.pause();
    await running;
    await dutiesAreTaken();
    await checkNodeLoad(load, device, await endedExecutions(victims[1], deviceId));
    expect([...load.refusals].filter((one) => one !== "503 storage_unavailable 1")).toEqual([]);
    const lostPoints = async () => {
      const values = await storedValues(victims, { deviceId, firstSecond });
      return values && [...sender.acknowledged].filter((n) => !values.has(n));
    };
    await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
    console.log(
      `seed ${seed}: ${ROUNDS} failovers, nodes killed ${killedNodes.join()}, ${load.acknowledged.size} executions acknowledged, ` +
        `${device.starts.size} started, ${sender.acknowledged.size} points acknowledged`,
    );
    expect(await stoppedNodes(victims)).toEqual([0, 0]);
  },
);

test.runIf(hasPostgresPair)("a primary that lives on while its standby takes over is left by itself", async () => {
  const pair = await startPair();
  const node = await startNode({ url: pair.url, flags: ["--commands-response-timeout", "2s"] });
  const site = await makeNodeSite(node.admin);
  const deviceId = await site.device("Pump");
  const device = await connectAt(await site.configOf(deviceId), node.mqttPort);
  const path = `/v3/devices/${deviceId}/commands`;
  const start = { name: "start", arguments: { power: 1 } };
  expect((await node.admin.post(`${path}/execute`, start)).body.execution.state).toBe("SUCCESS");
  await pair.promote();
  // Its commits wait for a standby that follows it no longer, until the node sees the other one.
  await expect
    .poll(
      async () =>
        (await node.admin.post(`${path}/execute`, start, { "Idempotency-Key": "once" })).body.execution?.state,
    )
    .toBe("SUCCESS");
  const [there] = await pair.onPrimary(EXECUTIONS);
  expect(there).toEqual({ count: 2 });
  const started = device.commands.map(({ id }) => id);
  expect(new Set(started).size, "started once each").toBe(started.length);
  expect((await node.admin.get("/readyz")).status).toBe(200);
});
