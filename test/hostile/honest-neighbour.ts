// The honest neighbour: reads, commands and points at a steady pace, and a memory of everything that was acknowledged to it.
import { connectFakeDevice, type FakeDeviceConfig } from "../support/fake-device.ts";
import type { RunningBusbar } from "../support/start-busbar.ts";
import { type Client, createClient } from "./client.ts";
import { type ProcessorTimes, processorTimes } from "./machine.ts";
import { HONEST_MANIFEST, honestLuaPackage } from "./manifest.ts";

const READ_EVERY_MS = 15;
const COMMAND_EVERY_MS = 80;
const POINT_EVERY_MS = 40;
/** Every so many reads one is on a new connection. */
const NEW_CONNECTION_EVERY = 10;
/** What is not answered by then counts as refused. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

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
  /** How much was acknowledged since the last call, and what of it is not there. */
  verify(): Promise<{ readonly acknowledged: number; readonly missing: readonly string[] }>;
  close(): void;
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
  const executions = new Map<string, string>();
  /** Time in milliseconds to value. */
  const points = new Map<number, number>();
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
    executions.set(execution.id, id);
    if (execution.state !== "SUCCESS") throw new Error(`execution ${JSON.stringify(execution).slice(0, 300)}`);
  }
  async function point(): Promise<void> {
    const at = Math.max(Date.now(), lastPointAt + 1);
    lastPointAt = at;
    number += 1;
    const value = number;
    await device.sendTelemetry({ timestamp: at / 1000, counter: value, power: 1.5 });
    points.set(at, value);
  }

  return {
    mqttPort: config.mqtt_port,
    async measure(lengthMs) {
      const refused: string[] = [];
      const times = (threads: "main" | "all") => () => {
        const { ranMs, waitedMs } = processorTimes(place.busbar().pid, threads);
        return { ranMs, waitedMs: waitedMs + processorTimes(process.pid).waitedMs };
      };
      const isRunning = () => place.busbar().isRunning();
      const [readTimes, commandTimes, pointTimes] = await Promise.all([
        pace({ lengthMs, everyMs: READ_EVERY_MS, act: read, times: times("main"), refused, isRunning }),
        pace({ lengthMs, everyMs: COMMAND_EVERY_MS, act: command, times: times("all"), refused, isRunning }),
        pace({ lengthMs, everyMs: POINT_EVERY_MS, act: point, times: times("all"), refused, isRunning }),
      ]);
      return { reads: readTimes, commands: commandTimes, points: pointTimes, refused };
    },
    async verify() {
      const acknowledged = executions.size + points.size;
      const missing = [
        ...(await missingExecutions(client, executions)),
        ...(await missingPoints(client, deviceId, points)),
      ];
      executions.clear();
      points.clear();
      return { acknowledged, missing };
    },
    close() {
      device.drop();
      client.close();
    },
  };
}

interface Pace {
  readonly lengthMs: number;
  readonly everyMs: number;
  readonly act: (turn: number) => Promise<void>;
  readonly times: () => ProcessorTimes;
  readonly refused: string[];
  /** Whether there is somebody to wait for. */
  readonly isRunning: () => boolean;
}

/** Begins one every so often whether or not the former has ended: a stall is felt by all that were due in it. */
async function pace({ lengthMs, everyMs, act, times, refused, isRunning }: Pace): Promise<readonly Latency[]> {
  const began = performance.now();
  const latencies: Latency[] = [];
  const underWay: Promise<void>[] = [];
  let failed = 0;
  for (let turn = 0; turn * everyMs < lengthMs && isRunning(); turn++) {
    const due = began + turn * everyMs;
    const before = times();
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    const done = act(turn).then(
      () => {
        const wall = performance.now() - due;
        const { ranMs, waitedMs } = times();
        latencies.push({ wall, net: Math.max(ranMs - before.ranMs, wall - (waitedMs - before.waitedMs)) });
      },
      (error: Error) => {
        failed += 1;
        refused.push(error.message);
      },
    );
    underWay.push(done);
  }
  const open = () => underWay.length - latencies.length - failed;
  for (const until = performance.now() + PATIENCE_MS; open() > 0 && isRunning() && performance.now() < until; ) {
    await Promise.race([Promise.all(underWay), new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))]);
  }
  if (open() > 0) refused.push(`${open()} without an answer`);
  return latencies;
}

async function makeSite(
  admin: Client,
  { url, address }: Place,
): Promise<{ readonly siteId: string; readonly client: Client }> {
  const { site } = await admin.ask<{ site: { id: string } }>("POST", "/v3/sites", { name: "Honest" });
  const grant = { name: "honest", level: "user", site_ids: [site.id] };
  const { token } = await admin.ask<{ token: string }>("POST", "/v3/tokens", grant);
  return { siteId: site.id, client: createClient({ url, token, address, maxSockets: 32 }) };
}

async function missingExecutions(client: Client, executions: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const seen = new Map<string, number>();
  for (const deviceId of new Set(executions.values())) {
    for (let offset = 0, isMore = true; isMore; offset += 100) {
      const path = `/v3/devices/${deviceId}/commands/executions?order=CREATED_AT_DESC&limit=100&offset=${offset}`;
      const page = await client.ask<{ executions: readonly { id: string; state: string }[] }>("GET", path);
      for (const { id, state } of page.executions) {
        if (executions.has(id) && state === "SUCCESS") seen.set(id, (seen.get(id) ?? 0) + 1);
      }
      const wanted = [...executions].filter(([id, owner]) => owner === deviceId && !seen.has(id));
      isMore = wanted.length > 0 && page.executions.length === 100;
    }
  }
  return [...executions.keys()].filter((id) => seen.get(id) !== 1).map((id) => `execution ${id}`);
}

async function missingPoints(
  client: Client,
  deviceId: string,
  points: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  if (points.size === 0) return [];
  const times = [...points.keys()];
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
  const stored = new Map(rows.map((row) => row.split(",").map(Number) as [number, number]));
  const found = new Map([...stored].map(([seconds, value]) => [Math.round(seconds * 1000), value]));
  return [...points].filter(([at, value]) => found.get(at) !== value).map(([at]) => `point of ${at}`);
}
