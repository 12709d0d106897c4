// Load on the nodes of a cloud whose parts are killed: executions and points, and what has to hold of them in the end.
import { expect } from "vitest";
import { commandManifest } from "../support/command-site.ts";
import type { FakeDeviceConfig } from "../support/fake-device.ts";
import { type CountingDevice, startCountingDevice } from "./counting-device.ts";
import type { NodeProcess, NodeVictim } from "./node-victim.ts";
import { SPAN_S } from "./sending-device.ts";

const AT_ONCE = 4;

export class NodeLoad {
  readonly acknowledged = new Map<string, string>();
  readonly contradictions: string[] = [];
  /** What was answered instead: status, code, and after how many seconds to try again. */
  readonly refusals = new Set<string>();
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
        this.refusals.add(`${answer.status} ${answer.body.errors?.[0].code} ${answer.headers.get("retry-after")}`);
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

interface DeviceBroker {
  readonly port: number;
  /** With which any device signs in there, if not with its own. */
  readonly login?: FakeDeviceConfig["mqtt_credentials"];
}

/** The broker is one of its own, or that of the node. */
export async function makeNodeDevice(victim: NodeVictim, { port, login }: DeviceBroker) {
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
  const config = { ...given, mqtt_host: "127.0.0.1", mqtt_port: port, ...(login && { mqtt_credentials: login }) };
  return { deviceId, config, device: await startCountingDevice(config, { isPresent: true }) };
}

export interface Sent {
  readonly deviceId: string;
  readonly firstSecond: number;
}

/** The values that a node answers with; undefined while none answers. */
export async function storedValues(
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

export async function checkNodeLoad(
  load: NodeLoad,
  device: CountingDevice,
  states: ReadonlyMap<string, string>,
): Promise<void> {
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
export async function endedExecutions(victim: NodeVictim, deviceId: string): Promise<ReadonlyMap<string, string>> {
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

export async function stoppedNodes(victims: readonly NodeVictim[]): Promise<readonly (number | null | undefined)[]> {
  const processes = victims.map((victim) => victim.current?.process);
  await Promise.all(victims.map((victim) => victim.kill("SIGTERM")));
  return processes.map((one) => one?.exitCode);
}
