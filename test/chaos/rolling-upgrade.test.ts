// Nodes of an older version of this repository and of this one share a database, and are upgraded one by one under load; a gateway
// of the older version stays linked to the cloud.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { readMigrations } from "#store/migrations.ts";
import { clientConfig } from "#store/postgres/connect.ts";
import { migrate } from "#store/postgres/migrate.ts";
import { commandManifest } from "../support/command-site.ts";
import { freePort } from "../support/free-port.ts";
import { hasMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { connectAt, makeNodeSite } from "../support/node-site.ts";
import { checkOut, findOlder } from "../support/older-checkout.ts";
import { startPostgres } from "../support/postgres.ts";
import { IS_LONG } from "../support/rounds.ts";
import { createSession } from "../support/session.ts";
import { startBusbarOf } from "../support/start-busbar.ts";
import { tempFolder } from "../support/temp-folder.ts";
import { checkNodeLoad, endedExecutions, makeNodeDevice, NodeLoad, storedValues } from "./node-load.ts";
import { NodeVictim } from "./node-victim.ts";
import { SPAN_S, startSendingDevice } from "./sending-device.ts";

/** Executions around each event of the test. */
const CALLS = 20;
const KNOWN = readMigrations(new URL("../../src/store/postgres/migrations/", import.meta.url));
const older = findOlder();
const why = "missing" in older ? ` (skipped: ${older.missing})` : "";

/** What a later release may do: it takes away what only versions before this one use. */
function contraction() {
  const number = KNOWN.length + 1;
  const name = `${String(number).padStart(4, "0")}-contracts.sql`;
  return { number, name, sql: "COMMENT ON TABLE site IS 'contracted'", digest: "contracts", needs: KNOWN.length };
}

test.runIf(IS_LONG && hasMosquitto && "commit" in older)(
  `nodes are upgraded one by one from the version before, and nothing is lost or done twice${why}`,
  { timeout: 600_000 },
  async () => {
    if (!("commit" in older)) return;
    const root = checkOut(older.commit);
    const olderNode = join(root, "test/chaos/node-process.ts");
    const server = await startPostgres({ fsync: true });
    onTestFinished(() => server.stop());
    const mosquitto = await startMosquitto("anyone", { persistence: true });
    onTestFinished(() => mosquitto.stop());
    // The older version makes the tables.
    const url = await server.database("upgraded_nodes");
    const ports = [await freePort(), await freePort()] as const;
    const victimAt = (port: number) => {
      const flags = ["--port", `${port}`, "--mqtt-client-id", "upgraded", "--mqtt-sessions", "2"];
      const more = ["--commands-response-timeout", "5s"];
      return new NodeVictim({ url, flags: [...flags, ...more], env: { BUSBAR_MQTT_URL: mosquitto.url } });
    };
    const victims = [victimAt(ports[0]), victimAt(ports[1])] as const;
    onTestFinished(async () => void (await Promise.all(victims.map((victim) => victim.kill()))));
    for (const victim of victims) await victim.start(olderNode);
    const client = new pg.Client(clientConfig(url));
    await client.connect();
    onTestFinished(() => client.end());
    const stepsDone = async () => (await client.query("SELECT count(*)::int AS count FROM migration")).rows[0].count;
    const before = await stepsDone();
    expect(before, "the older version knows fewer migrations").toBeLessThan(KNOWN.length);

    const { deviceId, device, config } = await makeNodeDevice(victims[0], mosquitto);
    onTestFinished(() => device.close());
    const firstSecond = Math.floor(Date.now() / 1_000) - SPAN_S;
    const sender = await startSendingDevice(config, firstSecond);
    onTestFinished(() => sender.close());
    const gateway = await joinedGateway(root, victims[0]);
    await gateway.runsCommand("old-cloud", victims[0]);

    const load = new NodeLoad();
    const running = load.run(victims, deviceId);
    const someCalls = async () => {
      const goal = load.acknowledged.size + CALLS;
      load.limit = goal + CALLS;
      await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
    };
    const stopInOrder = async (victim: NodeVictim) => {
      const { process } = victim.current ?? {};
      await victim.kill("SIGTERM");
      expect(process?.exitCode).toBe(0);
    };
    await someCalls();
    for (const [n, victim] of victims.entries()) {
      // What older nodes use is not taken away while one of them runs.
      const refused = () =>
        expect(migrate(client, [...KNOWN, contraction()])).rejects.toThrow("1 of them run on the database");
      if (n > 0) await refused();
      await someCalls();
      await stopInOrder(victim);
      await someCalls();
      await victim.start();
      await someCalls();
      await gateway.runsCommand(`upgraded-${n}`, victim);
      if (n > 0) continue;
      // The version before still starts on the tables of the newer one, as when its machine restarts meanwhile.
      await stopInOrder(victims[1]);
      await victims[1].start(olderNode);
      await someCalls();
    }
    expect(await stepsDone()).toBe(KNOWN.length);
    await someCalls();
    load.isOver = true;
    await sender.pause();
    await running;
    await checkNodeLoad(load, device, await endedExecutions(victims[1], deviceId));
    const lostPoints = async () => {
      const values = await storedValues(victims, { deviceId, firstSecond });
      return values && [...sender.acknowledged].filter((one) => !values.has(one));
    };
    await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
    await gateway.runsCommand("new-cloud", victims[1]);
    gateway.checkStarts(4);

    // A later version takes something away: from then on the older one is refused, and this one is not.
    await migrate(client, [...KNOWN, contraction()]);
    await stopInOrder(victims[1]);
    await expect(victims[1].start(olderNode)).rejects.toThrow("the records were last used by a newer Busbar");
    await victims[1].start();
    await expect.poll(async () => (await victims[1].current?.session.get("/readyz"))?.status).toBe(200);
  },
);

/** A gateway of the older version, joined to the cloud at the port of this node. */
async function joinedGateway(root: string, cloud: NodeVictim) {
  const mqttPort = await freePort();
  const folder = tempFolder();
  const flags = ["--mqtt-port", `${mqttPort}`, "--no-http-page", "--link-allow-local"];
  const running = await startBusbarOf(join(root, "bin/busbar"), folder, flags);
  onTestFinished(async () => void (await running.stop("SIGKILL")));
  const admin = createSession(running.url, readFileSync(join(folder, ".busbar/admin.token"), "utf8").trim());
  const site = await makeNodeSite(admin, commandManifest("Of the gateway"));
  const deviceId = await site.device("Behind the gateway");
  const device = await connectAt(await site.configOf(deviceId), mqttPort);
  const code = await cloud.current?.session.post("/v3/gateways/join_codes", { name: "Older" });
  const joined = await admin.post("/v3/uplink", { url: cloud.current?.url, code: code?.body.code });
  expect(joined.status, JSON.stringify(joined.body)).toBe(200);
  return {
    /** The same key starts it once, however often it is asked for while the line is made again. */
    async runsCommand(key: string, node: NodeVictim) {
      const path = `/v3/devices/${deviceId}/commands/execute`;
      const body = { name: "start", arguments: { power: 1 } };
      const execute = async () => (await node.current?.session.post(path, body, { "Idempotency-Key": key }))?.body;
      await expect.poll(async () => (await execute())?.execution?.state, { timeout: 90_000 }).toBe("SUCCESS");
      expect((await admin.get("/v3/uplink")).body.connected).toBe(true);
    },
    checkStarts(count: number) {
      const ids = device.commands.map(({ id }) => id);
      expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    },
  };
}
