// kill -9 of nodes, of Mosquitto and of PostgreSQL while commands run and points come: nothing acknowledged is lost, no
// command starts twice, every execution ends.
import { expect, onTestFinished, test } from "vitest";
import { commandManifest } from "../support/command-site.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { hasMosquitto, type Mosquitto, startMosquitto } from "../support/mosquitto.ts";
import { startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import { type CountingDevice, startCountingDevice } from "./counting-device.ts";
import { type NodeProcess, NodeVictim } from "./node-victim.ts";
import { SPAN_S, startSendingDevice } from "./sending-device.ts";

const ROUNDS = roundsOf("kills of nodes, broker and database");
/** Executions that a round asks for after its kill, at most: a load without end takes most of the processor while things start again. */
const AFTER_KILL = IS_LONG ? Number.POSITIVE_INFINITY : 30;
/** What the first rounds kill, so that a few rounds have each part once: a node below 0.6, the database below 0.8, the broker above. */
const FIRST = [0.1, 0.7, 0.9];
const TIMEOUT_S = 3;
const AT_ONCE = 4;

class Load {
  readonly acknowledged = new Map<string, string>();
  readonly contradictions: string[] = [];
  asked = 0;
  /** Nothing new is asked for while so many are acknowledged. */
  limit = 0;
  isOver = false;
  readonly #unanswered: string[] = [];

  /** Creates executions at any living node, each asked for again with its key until it is acknowledged. */
  async run(victims: readonly NodeVictim[], deviceId: string): Promise<void> {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, n) => {
        for (let turn = n; !this.isOver || this.#unanswered.length > 0; turn++) {
          const key = this.#unanswered.shift() ?? this.#nextKey();
          const node = victims[turn % victims.length]?.current;
          if (key !== undefined && node !== undefined && (await this.#create(node, deviceId, key))) continue;
          if (key !== undefined) this.#unanswered.push(key);
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      }),
    );
  }

  #nextKey(): string | undefined {
    return this.isOver || this.acknowledged.size >= this.limit ? undefined : `key-${++this.asked}`;
  }

  async #create({ session }: NodeProcess, deviceId: string, key: string): Promise<boolean> {
    try {
      const body = { name: "start", arguments: { power: 1 } };
      const answer = await session.post(`/v3/devices/${deviceId}/commands/executions`, body, {
        "Idempotency-Key": key,
      });
      if (answer.status !== 200) {
        if (answer.status < 429) throw new Error(`unexpected answer ${answer.status} ${JSON.stringify(answer.body)}`);
        return false;
      }
      const id = answer.body.execution_id as string;
      if ((this.acknowledged.get(key) ?? id) !== id) this.contradictions.push(key);
      this.acknowledged.set(key, id);
      return true;
    } catch (error) {
      if (error instanceof Error && error.message.startsWith("unexpected")) throw error;
      return false;
    }
  }
}

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
    const { deviceId, device, config } = await makeDevice(victims[0], mosquitto);
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

    const load = new Load();
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
    const states = await ended(victims[1], deviceId);
    await check(load, device, states);
    // A message that was with a node when it was killed comes again to another one.
    await expect.poll(lostPoints, { timeout: 150_000 }).toEqual([]);
    expect(sender.acknowledged.size, "points were acknowledged").toBeGreaterThan(ROUNDS);
    const count = (state: string) => [...states.values()].filter((one) => one === state).length;
    console.log(
      `seed ${seed}: kills ${JSON.stringify(kills)}, ${load.acknowledged.size} executions acknowledged, ${device.starts.size} started, ` +
        `${count("SUCCESS")} succeeded, ${count("TIMEOUT")} timed out, ${sender.acknowledged.size} points acknowledged`,
    );
    expect(await stopped(victims)).toEqual([0, 0]);
  },
);

async function makeDevice(victim: NodeVictim, { port }: Mosquitto) {
  const post = async (path: string, body: unknown) => {
    let answer = await victim.current?.session.post(path, body);
    // A busy machine may be too slow for a limit.
    for (let tries = 0; answer?.status === 503 && tries < 10; tries++)
      answer = await victim.current?.session.post(path, body);
    if (answer?.status !== 200) throw new Error(JSON.stringify(answer?.body));
    return answer.body;
  };
  const siteId: string = (await post("/v3/sites", { name: "Chaos" })).site.id;
  const manifest = commandManifest("Chaos", "telemetry:\n  power: { type: integer, display_name: Power }");
  const blueprintId: string = (await post("/v3/blueprints/upload", manifest)).blueprint.id;
  const body = { name: "Counter", site_id: siteId, blueprint_id: blueprintId };
  const deviceId: string = (await post("/v3/provisioning/standalone", body)).device_id;
  const given: FakeDeviceConfig = (await post(`/v3/devices/${deviceId}/generate_config`, { protocol: "MQTT" })).config;
  const config = { ...given, mqtt_host: "127.0.0.1", mqtt_port: port };
  return { deviceId, config, device: await startCountingDevice(config, { isPresent: true }) };
}

interface Sent {
  readonly deviceId: string;
  readonly firstSecond: number;
}

/** The values that a node answers with; undefined while none answers. */
async function storedValues(
  victims: readonly NodeVictim[],
  { deviceId, firstSecond }: Sent,
): Promise<ReadonlySet<number> | undefined> {
  const asked = {
    from: firstSecond,
    to: firstSecond + SPAN_S,
    granularity: "1s",
    aggregation: "last",
    telemetry: [{ device: deviceId, attribute: "power" }],
  };
  const answer = await victims
    .find(({ current }) => current !== undefined)
    ?.current?.session.post("/telemetry/v1/timeseries", asked)
    .catch(() => undefined);
  if (answer?.status !== 200) return undefined;
  return new Set(
    String(answer.body)
      .split("\n")
      .slice(1, -1)
      .map((row) => Number(row.split(",")[1])),
  );
}

async function check(load: Load, device: CountingDevice, states: ReadonlyMap<string, string>): Promise<void> {
  expect(load.contradictions).toEqual([]);
  const lost = [...load.acknowledged.values()].filter((id) => !states.has(id));
  expect(lost, "acknowledged and lost").toEqual([]);
  expect(load.acknowledged.size).toBe(load.asked);
  expect(states.size, "executions").toBe(load.asked);
  const twice = [...device.starts].filter(([, count]) => count > 1);
  expect(twice, "started twice").toEqual([]);
  const invented = [...states].filter(([id, state]) => state === "SUCCESS" && !device.starts.has(id));
  expect(invented, "successes without a start").toEqual([]);
  const stuck = [...states].filter(([, state]) => !["SUCCESS", "TIMEOUT"].includes(state));
  expect(stuck, "executions that did not end").toEqual([]);
  expect(device.starts.size, "the load reached the device").toBeGreaterThan(0);
}

/** Waits for the end of everything, and gives the state of every execution. */
async function ended(victim: NodeVictim, deviceId: string): Promise<ReadonlyMap<string, string>> {
  const base = `/v3/devices/${deviceId}/commands/executions`;
  const get = async (query: string) => (await victim.current?.session.get(`${base}${query}`))?.body;
  await expect.poll(async () => (await get("?state.in=NEW,IN_PROGRESS&limit=0"))?.total_count).toBe(0);
  const states = new Map<string, string>();
  for (let offset = 0; ; offset += 1_000) {
    const body = await get(`?limit=1000&offset=${offset}`);
    for (const { id, state } of body.executions) states.set(id, state);
    if (offset + 1_000 >= body.total_count) return states;
  }
}

async function stopped(victims: readonly NodeVictim[]): Promise<readonly (number | null | undefined)[]> {
  const processes = victims.map((victim) => victim.current?.process);
  await Promise.all(victims.map((victim) => victim.kill("SIGTERM")));
  return processes.map((one) => one?.exitCode);
}
