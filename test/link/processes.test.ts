// Two nodes of a cloud on PostgreSQL and three gateways, all of them processes, over lines that are cut, slow, break in the
// middle of messages and send old ones again, while commands, points, alerts and log entries come. Some of the processes are
// killed. After each round the lines are healed, and both sides have to agree, record by record.
import { expect, onTestFinished, test } from "vitest";
import { NodeVictim } from "../chaos/node-victim.ts";
import { startModbusServer } from "../support/modbus-server.ts";
import { startPostgres } from "../support/postgres.ts";
import { randomFrom } from "../support/random.ts";
import type { Session } from "../support/session.ts";
import { openSiteGateway, type SiteGateway } from "./site-gateway.ts";

const IS_LONG = process.env["BUSBAR_LONG"] === "1";
const ROUNDS = IS_LONG ? 50 : 5;
const GATEWAYS = 3;
/** The promise, which only the long run judges: a busy machine is slower. */
const AGREED_WITHIN_MS = 30_000;
const PATIENCE_MS = 120_000;
const TIMEOUT_S = 3;
const ACTIONS = 40;

interface Situation {
  readonly nodes: readonly NodeVictim[];
  readonly gateways: readonly SiteGateway[];
  readonly random: () => number;
  /** Executions that were acknowledged, by device. */
  readonly acknowledged: Map<string, string>;
  last: number;
}

test.runIf(IS_LONG)(
  `${ROUNDS} rounds of trouble: both sides agree afterwards, and nothing is done twice`,
  {
    timeout: 3_600_000,
  },
  async () => {
    const seed = Number(process.env["BUSBAR_TEST_SEED"] ?? Date.now() % 1_000_000);
    const random = randomFrom(seed);
    const server = await startPostgres();
    onTestFinished(() => server.stop());
    const options = {
      url: await server.database("link"),
      flags: ["--commands-response-timeout", `${TIMEOUT_S}s`, "--mqtt-port", "off"],
    };
    const nodes = [new NodeVictim(options), new NodeVictim(options)];
    onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.kill()))));
    // One after the other: the first one makes the tables.
    for (const node of nodes) await node.start();
    const modbus = await startModbusServer();
    const effects = new Map<string, number>();
    const gateways = await Promise.all(
      Array.from({ length: GATEWAYS }, (_, n) => {
        const unit = modbus.unit(n + 1);
        for (let register = 0; register < 10_000; register++) unit.holdings.set(register, 0);
        unit.onWrite = (_table, register) => {
          effects.set(`${n} ${register}`, (effects.get(`${n} ${register}`) ?? 0) + 1);
          return undefined;
        };
        return openSiteGateway(n + 1, {
          cloud: () => cloudOf(nodes),
          targets: () => nodes.flatMap(({ current }) => current?.url ?? []),
          modbus,
          flags: ["--commands-response-timeout", `${TIMEOUT_S}s`],
        });
      }),
    );
    const situation: Situation = { nodes, gateways, random, acknowledged: new Map(), last: 0 };
    await agreement(situation);
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([trouble(situation, round % 2 === 1), load(situation)]);
      for (const { line } of gateways) line.heal();
      times.push(await agreement(situation));
      const twice = [...effects, ...gateways.flatMap(({ device }) => [...device.starts])].filter(
        ([, count]) => count > 1,
      );
      expect(twice, `BUSBAR_TEST_SEED=${seed}, round ${round}: done twice`).toEqual([]);
    }
    const all = new Map(
      (await Promise.all(gateways.map(({ devices }) => executionsOf(cloudOf(nodes), devices)))).flat(),
    );
    const lost = [...situation.acknowledged.keys()].filter((id) => !all.has(id));
    expect(lost, "acknowledged and lost").toEqual([]);
    const states = Map.groupBy(all.values(), ({ state }) => state);
    console.log(
      `seed ${seed}: ${ROUNDS} rounds, ${all.size} executions (${[...states].map(([state, those]) => `${those.length} ${state}`).join(", ")}), ` +
        `${effects.size + gateways.reduce((sum, { device }) => sum + device.starts.size, 0)} effects, none twice; agreed after ${times.join(", ")} ms`,
    );
    expect(states.get("SUCCESS")?.length ?? 0, "the load reached the devices").toBeGreaterThan(0);
    if (IS_LONG) expect(Math.max(...times)).toBeLessThan(AGREED_WITHIN_MS);
  },
);

const cloudOf = (nodes: readonly NodeVictim[], first = 0): Session => {
  const session = (nodes[first]?.current ?? nodes[1 - first]?.current)?.session;
  if (session === undefined) throw new Error("a node runs");
  return session;
};
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Commands from both sides, points, alerts and log entries, while the lines are in trouble. */
async function load(situation: Situation): Promise<void> {
  const { gateways, nodes, random, acknowledged } = situation;
  for (let action = 0; action < ACTIONS; action++) {
    const gateway = gateways[Math.floor(random() * gateways.length)];
    if (gateway === undefined) continue;
    const power = ++situation.last;
    const deviceId = gateway.devices[random() < 0.5 ? "mqtt" : "lua"];
    const caller = random() < 0.6 ? cloudOf(nodes, Math.floor(random() * 2)) : gateway.session();
    const path = `/v3/devices/${deviceId}/commands/executions`;
    const created = caller?.post(path, { name: "start", arguments: { power } }).then(
      ({ status, body }) => void (status === 200 && acknowledged.set(body.execution_id, deviceId)),
      () => {},
    );
    const timestamp = Date.now() / 1_000;
    const faults = random() < 0.5 ? [`fault_${power % 5}`] : [];
    // A gateway that is killed meanwhile gets it when it is back.
    gateway.device.send("telemetry", { timestamp, power, faults }).catch(() => {});
    gateway.device
      .send("logs", { timestamp, message: `entry ${power}`, severity: "info", persist: true })
      .catch(() => {});
    await Promise.race([created, sleep(100)]);
    await sleep(random() * 60);
  }
}

async function trouble({ gateways, nodes, random }: Situation, kills: boolean): Promise<void> {
  const kill = async () => {
    const victim = random() < 0.5 ? gateways[Math.floor(random() * gateways.length)] : nodes[Math.floor(random() * 2)];
    await sleep(random() * 1_000);
    await victim?.kill();
    await victim?.start();
  };
  const disturb = async ({ line }: SiteGateway) => {
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
  await Promise.all([...gateways.map(disturb), ...(kills ? [kill()] : [])]);
}

/** Waits until both sides agree and everything has ended, and gives how long that took. */
async function agreement({ nodes, gateways }: Situation): Promise<number> {
  const began = performance.now();
  for (const [place, gateway] of gateways.entries()) {
    const own = async () => await recordsOf(gateway.session(), gateway.devices);
    const options = { timeout: PATIENCE_MS, interval: 200 };
    await expect
      .poll(
        async () => await differences(await own(), await recordsOf(cloudOf(nodes, place % 2), gateway.devices)),
        options,
      )
      .toEqual([]);
  }
  return Math.round(performance.now() - began);
}

type Records = Awaited<ReturnType<typeof recordsOf>>;

interface ListedExecution {
  readonly id: string;
  readonly state: string;
}

async function recordsOf(session: Session | undefined, devices: SiteGateway["devices"]) {
  if (session === undefined) throw new Error("the gateway runs");
  const get = async (path: string) => {
    const { status, body } = await session.get(path);
    if (status !== 200) throw new Error(`${path} answered ${status}`);
    return body;
  };
  const id = devices.mqtt;
  const series = { from: 0, to: Math.ceil(Date.now() / 1_000) + 60, granularity: "1s", aggregation: "last" };
  const points = await session.post("/telemetry/v1/timeseries", {
    ...series,
    telemetry: [{ device: id, attribute: "power" }],
  });
  const alerts = [await get(`/v3/devices/${id}/alerts`), await get(`/v3/devices/${id}/alerts?active=false&limit=1000`)];
  return {
    executions: new Map(await executionsOf(session, devices)),
    logs: (await get(`/v3/devices/${id}/logs?limit=1000`)).logs as readonly unknown[],
    // Each side has its own ids of blueprints.
    alerts: alerts.map(({ alerts: those }) =>
      those.map(({ blueprint_id: _, ...alert }: { blueprint_id: string }) => alert),
    ),
    points: points.body as unknown,
    session,
  };
}

async function executionsOf(
  session: Session,
  devices: SiteGateway["devices"],
): Promise<readonly (readonly [string, ListedExecution])[]> {
  const lists = await Promise.all(
    Object.values(devices).map(async (id) => {
      const found: ListedExecution[] = [];
      for (let offset = 0; ; offset += 1_000) {
        const { body } = await session.get(`/v3/devices/${id}/commands/executions?limit=1000&offset=${offset}`);
        found.push(...body.executions);
        if (offset + 1_000 >= body.total_count) return found;
      }
    }),
  );
  return lists.flat().map((one) => [one.id, one] as const);
}

/** What differs; the logs of executions are only compared once everything else is equal. */
async function differences(own: Records, copies: Records): Promise<readonly string[]> {
  const found: string[] = [];
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  for (const [id, execution] of own.executions) {
    const copy = copies.executions.get(id);
    if (!same(execution, copy)) found.push(`execution ${id}: ${JSON.stringify(execution)} and ${JSON.stringify(copy)}`);
  }
  for (const [id, { state }] of copies.executions) {
    if (["NEW", "IN_PROGRESS", "UNSYNC"].includes(state)) found.push(`execution ${id} is ${state} in the cloud`);
    if (!own.executions.has(id) && state === "SUCCESS")
      found.push(`execution ${id} is ${state} and not at the gateway`);
  }
  for (const kind of ["logs", "alerts", "points"] as const) {
    if (!same(own[kind], copies[kind])) found.push(`${kind} differ`);
  }
  if (found.length > 0) return found.slice(0, 5);
  for (const [id, { device_id: deviceId }] of own.executions as ReadonlyMap<
    string,
    ListedExecution & { device_id?: string }
  >) {
    const path = `/v3/devices/${deviceId}/commands/executions/${id}?expand=log`;
    const [one, other] = await Promise.all([own.session.get(path), copies.session.get(path)]);
    if (!same(one.body, other.body)) found.push(`the log of execution ${id} differs`);
  }
  return found;
}
