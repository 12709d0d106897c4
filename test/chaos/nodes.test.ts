// kill -9 of nodes, of Mosquitto and of PostgreSQL while commands run and points come: nothing acknowledged is lost, no
// command starts twice, every execution ends.
import { expect, onTestFinished, test } from "vitest";
import { hasMosquitto, startMosquitto } from "../support/mosquitto.ts";
import { startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { checkNodeLoad, endedExecutions, makeNodeDevice, NodeLoad, stoppedNodes, storedValues } from "./node-load.ts";
import { NodeVictim } from "./node-victim.ts";
import { SPAN_S, startSendingDevice } from "./sending-device.ts";

const ROUNDS = roundsOf("kills of nodes, broker and database");
/** Executions that a round asks for after its kill, at most: a load without end takes most of the processor while things start again. */
const AFTER_KILL = IS_LONG ? Number.POSITIVE_INFINITY : 30;
/** What the first rounds kill, so that a few rounds have each part once: a node below 0.6, the database below 0.8, the broker above. */
const FIRST = [0.1, 0.7, 0.9];
const TIMEOUT_S = 3;

test.runIf(hasMosquitto)(
  "kills of any part at random moments, under load",
  { timeout: 600_000 + ROUNDS * 45_000 },
  async () => {
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    const server = await startPostgres({ fsync: true });
    onTestFinished(() => server.stop());
    const mosquitto = await startMosquitto("anyone", { persistence: true });
    onTestFinished(() => mosquitto.stop());
    const url = await server.prepared("chaos");
    const flags = ["--commands-response-timeout", `${TIMEOUT_S}s`, "--mqtt-client-id", "chaos", "--mqtt-sessions", "4"];
    const options = { url, flags, env: { BUSBAR_MQTT_URL: mosquitto.url } };
    const victims = [new NodeVictim(options), new NodeVictim(options)] as const;
    onTestFinished(async () => void (await Promise.all(victims.map((victim) => victim.kill()))));
    await victims[0].start();
    await victims[1].start();
    const { deviceId, device, config } = await makeNodeDevice(victims[0], mosquitto);
    onTestFinished(() => device.close());
    // Their hours are over, so they are sealed while they come.
    const firstSecond = Math.floor(Date.now() / 1_000) - SPAN_S;
    const sender = await startSendingDevice(config, firstSecond);
    onTestFinished(() => sender.close());
    const stored = () => storedValues(victims, { deviceId, firstSecond });
    const lostPoints = async () => {
      const values = await stored();
      return values && [...sender.acknowledged].filter((n) => !values.has(n));
    };

    const load = new NodeLoad();
    const running = load.run(victims, deviceId);
    const kills = { node: 0, broker: 0, database: 0 };
    for (let round = 0; round < ROUNDS; round++) {
      const goal = load.acknowledged.size + 1 + Math.floor(random() * 30);
      load.limit = goal + AFTER_KILL;
      await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
      const what = FIRST[round] ?? random();
      if (what < 0.6) {
        kills.node++;
        const victim = victims[what < 0.3 ? 0 : 1];
        await victim.kill();
        await victim.start();
      } else if (what < 0.8) {
        kills.database++;
        await server.crash();
      } else {
        kills.broker++;
        // What Mosquitto has acknowledged and not handed on is lost with it: it writes its queue to disk now and then.
        await sender.pause();
        await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
        await mosquitto.crash();
        // It does not keep shared subscriptions over a crash: what comes before a node has subscribed again has no receiver.
        const probes = new Set<number>();
        const isHeard = async () => {
          probes.add(sender.probe());
          return [...((await stored()) ?? [])].some((value) => probes.has(value));
        };
        await expect.poll(isHeard).toBe(true);
        sender.goOn();
      }
    }
    load.isOver = true;
    await sender.pause();
    await running;
    const states = await endedExecutions(victims[1], deviceId);
    await checkNodeLoad(load, device, states);
    // A message that was with a node when it was killed comes again to another one.
    await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
    expect(sender.acknowledged.size, "points were acknowledged").toBeGreaterThan(ROUNDS);
    const count = (state: string) => [...states.values()].filter((one) => one === state).length;
    console.log(
      `seed ${seed}: kills ${JSON.stringify(kills)}, ${load.acknowledged.size} executions acknowledged, ${device.starts.size} started, ` +
        `${count("SUCCESS")} succeeded, ${count("TIMEOUT")} timed out, ${sender.acknowledged.size} points acknowledged`,
    );
    expect(await stoppedNodes(victims)).toEqual([0, 0]);
  },
);
