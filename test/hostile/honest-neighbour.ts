// The honest neighbour: reads, commands and points at a steady pace, and a memory of everything that was acknowledged to it.
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import type { RunningBusbar } from "../support/start-busbar.ts";
import { type Client, createClient } from "./client.ts";
import { type ProcessorTimes, processorTimes, waitedBetween } from "./machine.ts";
import { HONEST_MANIFEST, honestLuaPackage } from "./manifest.ts";

const READ_EVERY_MS = 15;
const COMMAND_EVERY_MS = 80;
const POINT_EVERY_MS = 40;
/** Every so many reads one is on a new connection. */
const NEW_CONNECTION_EVERY = 10;
/** What is not answered by then counts as refused. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;
const AT_ONCE = 4;
const PAGE = 100;

/** Milliseconds from the moment when it was due to its answer. */
export interface Latency {
  readonly wall: number;
  /**
   * What it would have taken at least on a machine without other work: what the gateway's main thread worked meanwhile, and
   * all but what the gateway and the neighbour waited for a processor.
   */
  readonly net: number;
}

/** How long everything took, and what was not answered as it should be. */
export interface Sample {
  readonly reads: readonly Latency[];
  readonly commands: readonly Latency[];
  readonly points: readonly Latency[];
  readonly refused: readonly string[];
}

export interface HonestNeighbour {
  readonly mqttPort: number;
  measure(lengthMs: number): Promise<Sample>;
  /** How much was acknowledged since it was last asked, or since the beginning, and what of it is not there. */
  verify(
    since?: "last time" | "beginning",
  ): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }>;
  close(): void;
}

interface Acknowledged {
  readonly executions: readonly { readonly id: string; readonly deviceId: string }[];
  /** Times in milliseconds. */
  readonly points: readonly { readonly at: number; readonly value: number }[];
}

interface Place {
  readonly url: string;
  readonly address: string;
  readonly busbar: () => Pick<RunningBusbar, "pid" | "isRunning">;
}

export async function openHonestNeighbour(admin: Client, place: Place): Promise<HonestNeighbour> {
  const { siteId, client } = await makeSite(admin, place);
  const upload = async (bytes: string | Uint8Array) =>
    (await admin.ask<{ blueprint: { id: string } }>("POST", "/v3/blueprints/upload", bytes)).blueprint.id;
  const provision = async (kind: string, bytes: string | Uint8Array) =>
    (
      await admin.ask<{ device_id: string }>("POST", `/v3/provisioning/${kind}`, {
        name: "Honest",
        site_id: siteId,
        blueprint_id: await upload(bytes),
      })
    ).device_id;
  const deviceId = await provision("standalone", HONEST_MANIFEST);
  const scriptId = await provision("lua_device", honestLuaPackage());
  const configPath = `/v3/devices/${deviceId}/generate_config`;
  const { config } = await admin.ask<{ config: FakeDeviceConfig }>("POST", configPath, { protocol: "MQTT" });
  const device = await connectFakeDevice(config, { reconnectPeriod: 100 });
  device.onCommand((command) => command.completed({ number: command.arguments["number"] }));

  const reads = [
    `/v3/devices/${deviceId}`,
    `/telemetry/v1/now?devices[${deviceId}]=counter,power`,
    `/v3/devices/${deviceId}/commands/executions?limit=10&order=CREATED_AT_DESC`,
  ];
  /** Everything that was acknowledged so far, and where what was not verified yet begins. */
  const executions: Acknowledged["executions"][number][] = [];
  const points: Acknowledged["points"][number][] = [];
  let verified = { executions: 0, points: 0 };
  let number = 0;
  let lastPointAt = 0;

  async function read(turn: number): Promise<void> {
    const onNewConnection = turn % NEW_CONNECTION_EVERY === 0;
    const path = reads[turn % reads.length] ?? "";
    const { status, text } = await client.call("GET", path, { onNewConnection, timeoutMs: PATIENCE_MS });
    if (status !== 200) throw new Error(`GET ${status} ${text.slice(0, 200)}`);
  }
  async function command(turn: number): Promise<void> {
    const id = turn % 2 === 0 ? deviceId : scriptId;
    number += 1;
    const body = { name: "echo", arguments: { number } };
    const path = `/v3/devices/${id}/commands/execute`;
    const { status, text } = await client.call("POST", path, { body, timeoutMs: PATIENCE_MS });
    if (status !== 200) throw new Error(`execute ${status} ${text.slice(0, 200)}`);
    const { execution } = JSON.parse(text) as { execution: { id: string; state: string; response?: object } };
    executions.push({ id: execution.id, deviceId: id });
    if (execution.state !== "SUCCESS") throw new Error(`execution ${JSON.stringify(execution).slice(0, 300)}`);
  }
  async function point(): Promise<void> {
    const at = Math.max(Date.now(), lastPointAt + 1);
    lastPointAt = at;
    number += 1;
    const value = number;
    await device.sendTelemetry({ timestamp: at / 1000, counter: value, power: 1.5 });
    points.push({ at, value });
  }

  return {
    mqttPort: config.mqtt_port,
    async measure(lengthMs) {
      const refused: string[] = [];
      const times = (threads: "main" | "all") => () => {
        const { ranMs, waitedMs } = processorTimes(place.busbar().pid, threads);
        return { ranMs, waitedMs: new Map([...waitedMs, ...processorTimes(process.pid).waitedMs]) };
      };
      const isRunning = () => place.busbar().isRunning();
      const [readTimes, commandTimes, pointTimes] = await Promise.all([
        pace({ lengthMs, everyMs: READ_EVERY_MS, act: read, times: times("main"), refused, isRunning }),
        pace({ lengthMs, everyMs: COMMAND_EVERY_MS, act: command, times: times("all"), refused, isRunning }),
        pace({ lengthMs, everyMs: POINT_EVERY_MS, act: point, times: times("all"), refused, isRunning }),
      ]);
      return { reads: readTimes, commands: commandTimes, points: pointTimes, refused };
    },
    async verify(since = "last time") {
      const from = since === "beginning" ? { executions: 0, points: 0 } : verified;
      verified = { executions: executions.length, points: points.length };
      const wanted = { executions: executions.slice(from.executions), points: points.slice(from.points) };
      const missing = [
        ...(await missingExecutions(client, wanted.executions)),
        ...(await missingPoints(client, deviceId, wanted.points)),
      ];
      return { acknowledged: wanted.executions.length + wanted.points.length, missing };
    },
    close() {
      device.drop();
      client.close();
    },
  };
}

export interface Pace {
  readonly lengthMs: number;
  readonly everyMs: number;
  readonly act: (turn: number) => Promise<void>;
  readonly times: () => ProcessorTimes;
  readonly refused: string[];
  /** Whether there is somebody to wait for. */
  readonly isRunning: () => boolean;
}

/**
 * One is due every so often whether or not the former has ended: a stall is felt by all that were due in it. Few are under way
 * at once, so that what the gateway works for one of them is not its work for all that a busy machine has kept waiting.
 */
export async function pace({ lengthMs, everyMs, act, times, refused, isRunning }: Pace): Promise<readonly Latency[]> {
  const latencies: Latency[] = [];
  const began = performance.now();
  const count = Math.ceil(lengthMs / everyMs);
  const isOver = () => !isRunning() || performance.now() > began + lengthMs + PATIENCE_MS;
  let turn = 0;
  let answered = 0;
  const loop = async () => {
    while (turn < count && !isOver()) {
      const due = began + turn * everyMs;
      turn += 1;
      const early = due - performance.now();
      if (early > 0) await pause(early);
      const before = times();
      const sent = performance.now();
      try {
        await act(turn);
        const after = times();
        const now = performance.now();
        const net = Math.max(after.ranMs - before.ranMs, now - sent - waitedBetween(before, after));
        latencies.push({ wall: now - due, net });
      } catch (error) {
        refused.push(error instanceof Error ? error.message : `${error}`);
      }
      answered += 1;
    }
  };
  let isDone = false;
  const done = Promise.all(Array.from({ length: AT_ONCE }, loop)).then(() => {
    isDone = true;
  });
  while (!isDone && !isOver()) await Promise.race([done, pause(LOOK_EVERY_MS)]);
  if (answered < count) refused.push(`${count - answered} without an answer`);
  return latencies;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function makeSite(
  admin: Client,
  { url, address }: Place,
): Promise<{ readonly siteId: string; readonly client: Client }> {
  const { site } = await admin.ask<{ site: { id: string } }>("POST", "/v3/sites", { name: "Honest" });
  const grant = { name: "honest", level: "user", site_ids: [site.id] };
  const { token } = await admin.ask<{ token: string }>("POST", "/v3/tokens", grant);
  return { siteId: site.id, client: createClient({ url, token, address, maxSockets: 32 }) };
}

async function missingExecutions(client: Client, wanted: Acknowledged["executions"]): Promise<readonly string[]> {
  /** How often each of the wanted ones is listed as a success. */
  const seen = new Map(wanted.map(({ id }) => [id, 0]));
  for (const deviceId of new Set(wanted.map((one) => one.deviceId))) {
    const ids = wanted.filter((one) => one.deviceId === deviceId).map(({ id }) => id);
    for (let offset = 0, isMore = true; isMore; offset += PAGE) {
      const path = `/v3/devices/${deviceId}/commands/executions?order=CREATED_AT_DESC&limit=${PAGE}&offset=${offset}`;
      const page = await client.ask<{ executions: readonly { id: string; state: string }[] }>("GET", path);
      for (const { id, state } of page.executions) {
        const count = seen.get(id);
        if (count !== undefined && state === "SUCCESS") seen.set(id, count + 1);
      }
      isMore = page.executions.length === PAGE && ids.some((id) => seen.get(id) === 0);
    }
  }
  return [...seen].filter(([, count]) => count !== 1).map(([id, count]) => `execution ${id}, listed ${count} times`);
}

async function missingPoints(
  client: Client,
  deviceId: string,
  wanted: Acknowledged["points"],
): Promise<readonly string[]> {
  if (wanted.length === 0) return [];
  const times = wanted.map(({ at }) => at);
  const query = {
    from: Math.min(...times) / 1000,
    to: (Math.max(...times) + 1) / 1000,
    granularity: "1ms",
    aggregation: "last",
    telemetry: [{ device: deviceId, attribute: "counter" }],
  };
  const { status, text } = await client.call("POST", "/telemetry/v1/timeseries", { body: query });
  if (status !== 200) return [`all points: the query answered ${status} ${text.slice(0, 200)}`];
  const rows = text.trim().split("\n").slice(1);
  const stored = new Map(
    rows.map((row) => {
      const [seconds = Number.NaN, value = Number.NaN] = row.split(",").map(Number);
      return [Math.round(seconds * 1000), value];
    }),
  );
  return wanted.filter(({ at, value }) => stored.get(at) !== value).map(({ at }) => `point of ${at}`);
}
