// Our gateway in a process of its own, asked over HTTP like any other engine.
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { ATTRIBUTES, type Size } from "./data.ts";
import { type Engine, type Loaded, type Question, seriesOf, type Table } from "./engine.ts";
import { type Child, finish, http, peakBytes, residentBytes, run, until } from "./process.ts";

const ADMIN_TOKEN = "bench-admin-token-bench-admin-token";
const HEADERS = { "X-Service-Auth-Token": ADMIN_TOKEN };
const NODE_FLAGS = ["--disable-warning=ExperimentalWarning"];
const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));
const LOADER = fileURLToPath(new URL("./load-series.ts", import.meta.url));

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly channel: string;
}

export interface Busbar extends Engine {
  readonly url: string;
  readonly mqttPort: number;
  readonly pid: number | undefined;
  /** Milliseconds from the start of the process to its readiness. */
  readonly startMs: number;
  get(path: string): Promise<string>;
  /** As administrator. A text is a manifest. */
  post<Answer>(path: string, body: string | object): Promise<Answer>;
  kill(): Promise<void>;
}

export interface Site {
  readonly folder: string;
  /** Devices by number, then the one with the series of a year. */
  readonly devices: readonly string[];
  readonly credentials: readonly Credentials[];
}

/** A gateway with devices that have sent nothing yet. */
export async function prepareSite(folder: string, { devices: count }: Size): Promise<Site> {
  const data = join(folder, "busbar");
  mkdirSync(data, { recursive: true });
  const busbar = await startBusbar({ folder: data, devices: [], credentials: [] });
  try {
    const { post } = busbar;
    const { blueprint } = await post<{ blueprint: { id: string } }>("/v3/blueprints/upload", manifest());
    const devices: string[] = [];
    const credentials: Credentials[] = [];
    for (let index = 0; index <= count; index++) {
      const device = { name: `Device ${index}`, blueprint_id: blueprint.id };
      const { device_id: id } = await post<{ device_id: string }>("/v3/provisioning/standalone", device);
      devices.push(id);
      const { config } = await post<{ config: { mqtt_credentials: Credentials; channel_id: string } }>(
        `/v3/devices/${id}/generate_config`,
        { protocol: "MQTT" },
      );
      credentials.push({ ...config.mqtt_credentials, channel: config.channel_id });
    }
    return { folder: data, devices, credentials };
  } finally {
    await busbar.stop();
  }
}

/** Fills the telemetry of a stopped gateway, in a process of its own. */
export async function loadSeries(
  job: "all" | "hour" | "float32" | "double",
  file: string,
  { devices, size }: { readonly devices: readonly string[]; readonly size: Size },
): Promise<LoadedSeries> {
  const given = JSON.stringify({ job, file, devices, size });
  const output = await finish(process.execPath, [...NODE_FLAGS, LOADER, given]);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "") as LoadedSeries;
}

interface LoadedSeries extends Loaded {
  readonly settleSeconds: number;
  /** Of the whole process, which also makes the data. */
  readonly cpuSeconds: number;
}

export const telemetryFile = (site: Site): string => join(site.folder, "telemetry.db");

/** Bytes of the file, and of what is in use in it. */
export function fileBytes(file: string): { readonly file: number; readonly used: number } {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const pragma = (name: string) => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const used = (pragma("page_count") - pragma("freelist_count")) * pragma("page_size");
  database.close();
  return { file: statSync(file).size, used };
}

interface StartOptions {
  readonly nodeFlags?: readonly string[];
  readonly name?: string;
  /** The address of a PostgreSQL to use instead of the embedded store. */
  readonly database?: string;
  /** Undefined: as a user has it. */
  readonly bucketCacheMb?: number;
}

export async function startBusbar(
  site: Site,
  { nodeFlags = [], name = "busbar", database, bucketCacheMb }: StartOptions = {},
): Promise<Busbar> {
  const flags = ["serve", "--data", site.folder, "--port", "0", "--mqtt-port", "0", "--log-format", "json"];
  const started = performance.now();
  const child = run(PROGRAM, [...flags, "--mqtt-message-rate", "1000000"], {
    env: {
      ...process.env,
      BUSBAR_ADMIN_TOKEN: ADMIN_TOKEN,
      NODE_OPTIONS: nodeFlags.join(" "),
      ...(database !== undefined && { BUSBAR_DATABASE_URL: database }),
      ...(bucketCacheMb !== undefined && { BUSBAR_TELEMETRY_BUCKET_CACHE_MB: String(bucketCacheMb) }),
    },
  });
  const url = await ready(child);
  const startMs = performance.now() - started;
  const get = (path: string) => http(url + path, { headers: HEADERS });
  return {
    name,
    url,
    mqttPort: site.devices.length === 0 ? 0 : await findMqttPort(url, site),
    pid: child.process.pid,
    startMs,
    get,
    async post<Answer>(path: string, body: string | object): Promise<Answer> {
      const isText = typeof body === "string";
      const type = { "content-type": isText ? "application/yaml" : "application/json" };
      const answer = await patiently(() =>
        http(url + path, {
          method: "POST",
          headers: { ...HEADERS, ...type },
          body: isText ? body : JSON.stringify(body),
        }),
      );
      return JSON.parse(answer) as Answer;
    },
    ask: (question) =>
      patiently(() =>
        http(`${url}/telemetry/v1/timeseries`, {
          method: "POST",
          headers: { ...HEADERS, "content-type": "application/json", accept: "text/csv" },
          body: body(site, question),
        }),
      ),
    parse,
    size: () => fileBytes(telemetryFile(site)).file,
    memory: () => residentBytes(child.process.pid),
    stop: () => child.stop(),
    kill: () => child.stop("SIGKILL"),
  };
}

const ATTEMPTS = 5;
const AGAIN_MS = 1_000;

/** On a busy machine the first calls may take too long and be refused. */
async function patiently(call: () => Promise<string>): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt === ATTEMPTS || !String(error).includes("answered 503")) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

export const peakMemory = (busbar: Busbar): number => peakBytes(busbar.pid);

async function ready(child: Child): Promise<string> {
  return await until(child, async () => /http:\/\/127\.0\.0\.1:\d+/.exec(child.output())?.[0]);
}

/** Asks for a config of the last device, which names the port; nobody connects as that one. */
async function findMqttPort(url: string, { devices }: Site): Promise<number> {
  const answer = await http(`${url}/v3/devices/${devices.at(-1)}/generate_config`, {
    method: "POST",
    headers: { ...HEADERS, "content-type": "application/json" },
    body: JSON.stringify({ protocol: "MQTT" }),
  });
  return (JSON.parse(answer) as { config: { mqtt_port: number } }).config.mqtt_port;
}

function body({ devices }: Site, question: Question): string {
  const { aggregation, from, to, granularity, fill } = question;
  return JSON.stringify({
    from: from / 1_000,
    to: to / 1_000,
    aggregation,
    granularity: `${granularity / 1_000}s`,
    ...(fill ? { gap_filling: { method: "locf", look_around: "1h" } } : {}),
    telemetry: question.devices.map((device) => ({
      device: device === "year" ? devices.at(-1) : devices[device],
      attribute: question.attributes,
    })),
  });
}

function parse(question: Question, answer: string): Table {
  const columns = seriesOf(question);
  const table = new Map<number, (number | string | undefined)[]>();
  for (const line of answer.split("\n").slice(1)) {
    if (line === "") continue;
    const [start, ...cells] = line.split(",");
    table.set(
      Number(start) * 1_000,
      columns.map((_, i) =>
        cells[i] === "" ? undefined : question.aggregation === "avg" ? Number(cells[i]) : cells[i],
      ),
    );
  }
  return table;
}

function manifest(): string {
  const telemetry = ATTRIBUTES.map(({ name, type, words }) => {
    const values = words === undefined || name === "note" ? "" : `\n    enum: [${words.join(", ")}]`;
    return `  ${name}:\n    type: ${type}\n    display_name: ${name}${values}\n`;
  });
  return `blueprint_spec: device/3.0
display_name: Bench
runtime:
  type: embedded
telemetry:
${telemetry.join("")}`;
}
