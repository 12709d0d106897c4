// kill -9 of nodes, of Mosquitto and of servers of the database while commands run and points come: nothing acknowledged is
// lost, no command starts twice, every execution ends.
import { expect, onTestFinished } from "vitest";
import { startMosquitto } from "../support/mosquitto.ts";
import type { Postgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG } from "../support/rounds.ts";
import { checkNodeLoad, endedExecutions, makeNodeDevice, NodeLoad, stoppedNodes, storedValues } from "./node-load.ts";
import { NodeVictim } from "./node-victim.ts";
import { SPAN_S, startSendingDevice } from "./sending-device.ts";

/** Executions that a round asks for after its kill, at most: a load without end takes most of the processor while things start again. */
const AFTER_KILL = IS_LONG ? Number.POSITIVE_INFINITY : 30;
const TIMEOUT_S = 3;

export interface KilledDatabase extends Pick<Postgres, "prepared" | "stop"> {
  /** What may be killed of it, by name. */
  readonly servers: ReadonlyMap<string, Pick<Postgres, "crash">>;
}

interface Kills {
  readonly rounds: number;
  /** What the first rounds kill, so that a few rounds have each part once: a node, the broker, or a server by its name. */
  readonly first: readonly string[];
}

export async function killsOfNodes(database: KilledDatabase, { rounds, first }: Kills): Promise<void> {
  const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
  const random = randomFrom(seed);
  onTestFinished(() => database.stop());
  const mosquitto = await startMosquitto("anyone", { persistence: true });
  onTestFinished(() => mosquitto.stop());
  const url = await database.prepared("chaos");
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
  const kills = new Map<string, number>();
  for (let round = 0; round < rounds; round++) {
    const goal = load.acknowledged.size + 1 + Math.floor(random() * 30);
    load.limit = goal + AFTER_KILL;
    await expect.poll(() => load.acknowledged.size, { interval: 5 }).toBeGreaterThanOrEqual(goal);
    const what = first[round] ?? targetOf(random(), database);
    kills.set(what, (kills.get(what) ?? 0) + 1);
    if (what === "node") {
      const victim = victims[random() < 0.5 ? 0 : 1];
      await victim.kill();
      await victim.start();
    } else if (what === "broker") {
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
    } else await database.servers.get(what)?.crash();
  }
  load.isOver = true;
  await sender.pause();
  await running;
  const states = await endedExecutions(victims[1], deviceId);
  await checkNodeLoad(load, device, states);
  // A message that was with a node when it was killed comes again to another one.
  await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
  expect(sender.acknowledged.size, "points were acknowledged").toBeGreaterThan(rounds);
  const count = (state: string) => [...states.values()].filter((one) => one === state).length;
  console.log(
    `seed ${seed}: kills ${JSON.stringify(Object.fromEntries(kills))}, ${load.acknowledged.size} executions acknowledged, ${device.starts.size} started, ` +
      `${count("SUCCESS")} succeeded, ${count("TIMEOUT")} timed out, ${sender.acknowledged.size} points acknowledged`,
  );
  expect(await stoppedNodes(victims)).toEqual([0, 0]);
}

/** Half of the kills are of nodes, and a fifth of the broker. */
function targetOf(random: number, { servers }: KilledDatabase): string {
  if (random < 0.5) return "node";
  if (random < 0.7) return "broker";
  return [...servers.keys()][Math.floor(((random - 0.7) / 0.3) * servers.size)] ?? "node";
}
