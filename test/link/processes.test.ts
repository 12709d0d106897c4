// Two nodes of a cloud on PostgreSQL and several gateways, all of them processes, over lines that are cut, slow, break in the
// middle of messages and send old ones again, while commands, points, alerts and log entries come. Some of the processes are
// killed; the cloud is on one PostgreSQL, or spread by Citus, whose servers are killed, too. After each round the lines are healed, and both sides have to agree, record by record.
import { expect, onTestFinished, test } from "vitest";
import { NodeVictim } from "../chaos/node-victim.ts";
import { HAS_CITUS, startCitus } from "../support/citus.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import { IS_LONG, roundsOf } from "../support/rounds.ts";
import type { Session } from "../support/session.ts";
import { sayIfWithoutCitus } from "../support/without-citus.ts";
import { differences, type ListedExecution, readExecutions, readSide, type SideRecords } from "./compare-records.ts";
import { openSiteGateway, type SiteGateway } from "./site-gateway.ts";

const GIVEN = process.env["BUSBAR_TEST_ROUNDS"];
const CLOUDS = [
  { cloud: "a cloud", rounds: roundsOf("rounds of trouble between gateways and a cloud"), isSpread: false },
  {
    cloud: "a spread cloud",
    rounds: roundsOf("rounds of trouble between gateways and a spread cloud"),
    isSpread: true,
  },
]
  .map((one) => ({ ...one, rounds: Number(GIVEN ?? one.rounds) }))
  .filter(({ rounds, isSpread }) => rounds > 0 && (HAS_CITUS || !isSpread));
if (IS_LONG) sayIfWithoutCitus();

const SEED = Number(process.env["BUSBAR_TEST_SEED"] ?? (IS_LONG ? Date.now() % 1_000_000 : 1));
const GATEWAYS = IS_LONG ? 3 : 2;
/** The promise. Only the long run judges it: how long it takes depends on the machine. */
const AGREED_WITHIN_MS = 30_000;
/** Only a failure waits for so long. */
const PATIENCE_MS = 240_000;
/** A comparison reads everything on both sides; only the long run wants to know when exactly they agreed. */
const COMPARED_EACH_MS = IS_LONG ? 200 : 1_000;
const TIMEOUT_S = 3;
const ACTIONS = IS_LONG ? 40 : 20;

interface Situation {
  readonly nodes: readonly NodeVictim[];
  /** Servers of the database that are killed, one in each round. */
  readonly servers: readonly Pick<Postgres, "crash">[];
  readonly gateways: readonly SiteGateway[];
  /** How often each register was written, by gateway. */
  readonly effects: ReadonlyMap<string, number>;
  /** Calls and messages that are under way. */
  readonly pending: Set<Promise<void>>;
  readonly acknowledged: Acknowledged;
  /** By place of the gateway, as the comparison wants it. */
  readonly equalLogs: readonly Map<string, string>[];
  last: number;
  lastAt: number;
}

/** What callers and devices got as an answer is stored. */
interface Acknowledged {
  /** Executions, with the place of the gateway that acknowledged them; undefined: the cloud did. */
  readonly executions: Map<string, number | undefined>;
  /** Numbers of points and of log entries, by place of the gateway. */
  readonly points: readonly Set<number>[];
  readonly logs: readonly Set<number>[];
}

test.each(CLOUDS)(
  "$rounds rounds of trouble with $cloud: both sides agree afterwards, and nothing is done twice",
  {
    timeout: 240_000 + Math.max(...CLOUDS.map(({ rounds }) => rounds)) * PATIENCE_MS,
  },
  async ({ cloud, rounds, isSpread }) => {
    const situation = await setUp(isSpread);
    const { gateways, nodes, effects, acknowledged } = situation;
    await agreement(situation);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await Promise.all([trouble(situation, round), load(situation)]);
      for (const { line } of gateways) line.heal();
      const [healed, healedAt] = [performance.now(), Date.now()];
      const sides = await agreement(situation);
      times.push(Math.round(performance.now() - healed));
      if (IS_LONG) {
        const connected = (await connectedAfter(gateways, healedAt)).join(", ");
        console.log(`seed ${SEED}, round ${round}: agreed after ${times.at(-1)} ms, connected after ${connected} ms`);
      }
      const starts = [...effects, ...gateways.flatMap(({ device }) => [...device.starts])];
      const where = `BUSBAR_TEST_SEED=${SEED}, round ${round}`;
      expect(
        starts.filter(([, count]) => count > 1),
        `${where}: done twice`,
      ).toEqual([]);
      expect(
        sides.flatMap((side, place) => lostAt(side, place, acknowledged)),
        `${where}: acknowledged and lost`,
      ).toEqual([]);
    }
    // Nothing of earlier rounds has changed since it was compared.
    for (const equal of situation.equalLogs) equal.clear();
    await agreement(situation);
    const all = new Map<string, ListedExecution>();
    for (const { devices } of gateways) {
      for (const [id, one] of await readExecutions(cloudOf(nodes), devices)) all.set(id, one);
    }
    expect(
      [...acknowledged.executions.keys()].filter((id) => !all.has(id)),
      "acknowledged and lost",
    ).toEqual([]);
    const states = Map.groupBy(all.values(), ({ state }) => state);
    const started = effects.size + gateways.reduce((sum, { device }) => sum + device.starts.size, 0);
    console.log(
      `seed ${SEED}: ${rounds} rounds with ${cloud}, ${all.size} executions (${[...states].map(([state, those]) => `${those.length} ${state}`).join(", ")}), ` +
        `${started} effects, none twice; agreed after ${times.join(", ")} ms`,
    );
    expect(states.get("SUCCESS")?.length ?? 0, "the load reached the devices").toBeGreaterThan(0);
    if (IS_LONG) expect(Math.max(...times)).toBeLessThan(AGREED_WITHIN_MS);
  },
);

async function setUp(isSpread: boolean): Promise<Situation> {
  const nodes: NodeVictim[] = [];
  const effects = new Map<string, number>();
  const modbus = await startModbusServer();
  const cloud = isSpread ? startSpread(nodes) : startOnOne(nodes);
  const opening = Array.from({ length: GATEWAYS }, (_, n) => {
    const unit = modbus.unit(n + 1);
    for (let register = 0; register < 10_000; register++) unit.holdings.set(register, 0);
    unit.onWrite = (_table, register) => {
      effects.set(`${n} ${register}`, (effects.get(`${n} ${register}`) ?? 0) + 1);
      return undefined;
    };
    return openSiteGateway(n + 1, {
      cloud: () => cloud.then(() => cloudOf(nodes)),
      targets: () => nodes.flatMap(({ current }) => current?.url ?? []),
      modbus,
      flags: ["--commands-response-timeout", `${TIMEOUT_S}s`],
    });
  });
  const [gateways, servers] = await Promise.all([Promise.all(opening), cloud]);
  const numbers = () => gateways.map(() => new Set<number>());
  const acknowledged = { executions: new Map(), points: numbers(), logs: numbers() };
  const equalLogs = gateways.map(() => new Map<string, string>());
  return { nodes, servers, gateways, effects, pending: new Set(), acknowledged, equalLogs, last: 0, lastAt: 0 };
}

async function startOnOne(nodes: NodeVictim[]): Promise<Situation["servers"]> {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  await startNodes(nodes, await server.database("link"));
  return [];
}

async function startSpread(nodes: NodeVictim[]): Promise<Situation["servers"]> {
  const cluster = await startCitus();
  onTestFinished(() => cluster.stop());
  await startNodes(nodes, await cluster.database("link"));
  return [...cluster.workers, cluster.coordinator];
}

async function startNodes(nodes: NodeVictim[], url: string): Promise<void> {
  const flags = ["--commands-response-timeout", `${TIMEOUT_S}s`, "--mqtt-port", "off"];
  const options = { url, flags };
  nodes.push(new NodeVictim(options), new NodeVictim(options));
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.kill()))));
  // One after the other: the first one makes the tables.
  for (const node of nodes) await node.start();
}

const cloudOf = (nodes: readonly NodeVictim[], first = 0): Session => {
  const session = (nodes[first]?.current ?? nodes[1 - first]?.current)?.session;
  if (session === undefined) throw new Error("a node runs");
  return session;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Commands from both sides, points, alerts and log entries, while the lines are in trouble. */
async function load(situation: Situation): Promise<void> {
  const { gateways, nodes, acknowledged, pending } = situation;
  const random = randomFrom(SEED + situation.last);
  const follow = (call: Promise<unknown> | undefined) => {
    // What fails was not acknowledged.
    const ended: Promise<void> = Promise.resolve(call)
      .then(
        () => {},
        () => {},
      )
      .finally(() => pending.delete(ended));
    pending.add(ended);
    return ended;
  };
  for (let action = 0; action < ACTIONS; action++) {
    const place = Math.floor(random() * gateways.length);
    const gateway = gateways[place];
    if (gateway === undefined) continue;
    const number = ++situation.last;
    const deviceId = gateway.devices[random() < 0.5 ? "mqtt" : "lua"];
    const isLocal = random() >= 0.6;
    const caller = isLocal ? gateway.session() : cloudOf(nodes, Math.floor(random() * 2));
    const path = `/v3/devices/${deviceId}/commands/executions`;
    const created = follow(
      caller?.post(path, { name: "start", arguments: { power: number } }).then(({ status, body }) => {
        if (status === 200) acknowledged.executions.set(body.execution_id, isLocal ? place : undefined);
      }),
    );
    // Each point has a time of its own, so none takes the place of another.
    situation.lastAt = Math.max(Date.now(), situation.lastAt + 1);
    const timestamp = situation.lastAt / 1_000;
    const faults = random() < 0.5 ? [`fault_${number % 5}`] : [];
    // A gateway that is killed meanwhile gets it when it is back.
    void follow(
      gateway.device
        .send("v1/telemetry", { timestamp, power: number, faults })
        .then(() => acknowledged.points[place]?.add(number)),
    );
    void follow(
      gateway.device
        .send("v3/logs", { timestamp, message: `entry ${number}`, severity: "info", persist: true })
        .then(() => acknowledged.logs[place]?.add(number)),
    );
    await Promise.race([created, sleep(100)]);
    await sleep(random() * 60);
  }
}

/** Each line has its own. A gateway or a node is killed, too, in a long run in every other round. */
async function trouble({ gateways, nodes, servers }: Situation, round: number): Promise<void> {
  const randomOf = (place: number) => randomFrom(SEED + 10 * round + place);
  const kill = async () => {
    const random = randomOf(GATEWAYS);
    const victims = round % 4 === 1 ? nodes : gateways;
    const victim = victims[Math.floor(random() * victims.length)];
    await sleep(random() * 1_000);
    await victim?.kill();
    await victim?.start();
  };
  const crash = async () => {
    await sleep(randomOf(GATEWAYS + 1)() * 1_000);
    await servers[round % servers.length]?.crash();
  };
  const disturb = async ({ line }: SiteGateway, place: number) => {
    const random = randomOf(place);
    for (let turn = 0; turn < 3; turn++) {
      await sleep(random() * 600);
      const dice = random();
      if (dice < 0.4) line.cut();
      else if (dice < 0.6) line.halve();
      else if (dice < 0.8) line.delay(random() * 400);
      else line.replay();
      await sleep(random() * 700);
      if (random() < 0.7) line.heal();
    }
  };
  await Promise.all([...gateways.map(disturb), ...(IS_LONG && round % 2 === 0 ? [] : [kill()]), crash()]);
}

/** Waits until both sides agree and everything has ended, and gives what the gateways have. */
async function agreement(situation: Situation): Promise<readonly SideRecords[]> {
  const { nodes, gateways, effects, pending, equalLogs } = situation;
  // Devices repeat what was not acknowledged until it is.
  await Promise.all(pending);
  const sides: SideRecords[] = [];
  const waiting = gateways.map(async ({ session, devices, device }, place) => {
    const hasStarted = ({ id, device_id: deviceId, request }: ListedExecution) =>
      deviceId === devices.mqtt ? device.starts.has(id) : effects.has(`${place} ${request.arguments.power}`);
    const seen = { hasStarted, equalLogs: equalLogs[place] ?? new Map() };
    const compare = async () => {
      const own = session();
      if (own === undefined) throw new Error("the gateway runs");
      const [records, copies] = await Promise.all([
        readSide(own, devices),
        readSide(cloudOf(nodes, place % 2), devices),
      ]);
      sides[place] = records;
      return await differences(records, copies, seen);
    };
    await expect.poll(compare, { timeout: PATIENCE_MS, interval: COMPARED_EACH_MS }).toEqual([]);
  });
  await Promise.all(waiting);
  return sides;
}

/** How long after that time each gateway was connected: it waits before it tries the line again. */
async function connectedAfter(gateways: readonly SiteGateway[], at: number): Promise<readonly number[]> {
  const since = async ({ session }: SiteGateway) => Date.parse((await session()?.get("/v3/uplink"))?.body.since);
  return (await Promise.all(gateways.map(since))).map((time) => Math.max(0, time - at));
}

function lostAt(side: SideRecords, place: number, acknowledged: Acknowledged): readonly string[] {
  const entries = new Set(side.logs.map(({ message }) => message));
  const [head = "", ...rows] = side.points.trimEnd().split("\n");
  const column = head.split(",").findIndex((name) => name.includes("power"));
  const powers = new Set(rows.map((row) => Number(row.split(",")[column])));
  const created = [...acknowledged.executions].filter(([id, at]) => at === place && !side.executions.has(id));
  return [
    ...created.map(([id]) => `execution ${id}`),
    ...[...(acknowledged.logs[place] ?? [])].filter((one) => !entries.has(`entry ${one}`)).map((one) => `entry ${one}`),
    ...[...(acknowledged.points[place] ?? [])].filter((one) => !powers.has(one)).map((one) => `point ${one}`),
  ];
}
