// A small device over MQTT, in one file to copy. It has a power that a command sets, and it counts the energy.
//
//   busbar device generate-config DEVICE -o json > config.json      (or --protocol MQTTS)
//   npm install mqtt
//   node device.ts config.json
//
// The protocol is described in docs/device-protocol.md.
import { readFileSync } from "node:fs";
import { connect } from "mqtt";

interface Config {
  readonly mqtt_host: string;
  readonly mqtt_port: number;
  readonly mqtt_protocol: "MQTT" | "MQTTS";
  readonly mqtt_credentials: Readonly<Record<string, string>>;
  readonly hardware_id: string;
  readonly channel_id: string;
}

interface Request {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type Reply = { readonly state: "log" | "completed" | "error"; readonly payload?: Readonly<Record<string, unknown>> };

const config = readConfig(process.argv[2] ?? "config.json");
const { username, password, private_key, certificate, ca_chain } = config.mqtt_credentials;
const from = `v1/from/${config.hardware_id}/${config.channel_id}`;
const to = `v1/to/${config.hardware_id}/${config.channel_id}`;

// ---- The device itself: replace this part. ----

const state = { power: 0, energy: 0, limit: 100 };

/** Runs a command. Each `log` is progress; what it returns is the result; what it throws is the error. */
async function run(
  request: Request,
  log: (payload: Record<string, unknown>) => void,
): Promise<Record<string, unknown>> {
  switch (request.name) {
    case "set_power": {
      const power = request.arguments["power"];
      if (typeof power !== "number" || power < 0 || power > state.limit) {
        throw new Error(`power must be a number from 0 to ${state.limit}`);
      }
      const before = state.power;
      for (const percent of [33, 66, 100]) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        state.power = before + ((power - before) * percent) / 100;
        if (percent < 100) log({ percent });
      }
      return { power: state.power };
    }
    case "reset_energy":
      state.energy = 0;
      return {};
    default:
      throw new Error(`this device has no command ${request.name}`);
  }
}

/** Bucket to parameter to value; comes when we connect and whenever it changes. */
function configure(buckets: Readonly<Record<string, Readonly<Record<string, unknown>>>>): void {
  const limit = buckets["limits"]?.["max_power"];
  if (typeof limit === "number") state.limit = limit;
}

// ---- The connection: keep this part. ----

const client = connect({
  host: config.mqtt_host,
  port: config.mqtt_port,
  protocol: config.mqtt_protocol === "MQTTS" ? "mqtts" : "mqtt",
  username,
  password,
  key: private_key,
  cert: certificate,
  ca: ca_chain,
  clientId: "",
  clean: true,
  keepalive: 15,
  // Not all devices at the same moment after a power cut.
  reconnectPeriod: 1_000 + Math.random() * 2_000,
});

/** QoS 1: kept until the service has stored it, also across a reconnect. */
function publish(topic: string, message: object): void {
  client.publish(`${from}/${topic}`, JSON.stringify(message), { qos: 1 });
}

function log(severity: "debug" | "info" | "warning" | "error", message: string): void {
  publish("v3/logs", { timestamp: now(), message, severity, persist: severity !== "debug" });
}

client.on("connect", () => {
  console.log(`connected to ${config.mqtt_host}:${config.mqtt_port}`);
  // Listen first, then say who we are: the service sends waiting commands as soon as it knows that we listen.
  client.subscribe([`${to}/v1/command/requests`, `${to}/v1/configuration`], { qos: 1 }, (error) => {
    if (error) console.error(`cannot listen: ${error.message}`);
  });
  publish("v1/register", { timestamp: now(), vendor: "Example", model: "One", serial_number: config.hardware_id });
  log("info", "connected");
});
client.on("close", () => console.log("not connected; trying again"));
client.on("error", (error) => console.error(error.message));

client.on("message", (topic, payload) => {
  const message: unknown = JSON.parse(payload.toString("utf8"));
  if (topic === `${to}/v1/configuration`) configure(message as Parameters<typeof configure>[0]);
  if (topic === `${to}/v1/command/requests`) void take(message as Request);
});

/** The latest reply to each request; undefined while it runs. A request may come twice and must not run twice. */
const replies = new Map<string, Reply | undefined>();
const REMEMBERED = 1_000;

async function take(request: Request): Promise<void> {
  if (replies.has(request.id)) {
    const known = replies.get(request.id);
    console.log(`command ${request.name} ${request.id} again`);
    if (known !== undefined) respond(request.id, known);
    return;
  }
  console.log(`command ${request.name} ${request.id}`);
  replies.set(request.id, undefined);
  const [oldest] = replies.keys();
  if (replies.size > REMEMBERED && oldest !== undefined) replies.delete(oldest);
  try {
    const payload = await run(request, (progress) => respond(request.id, { state: "log", payload: progress }));
    respond(request.id, { state: "completed", payload });
  } catch (error) {
    respond(request.id, {
      state: "error",
      payload: { message: error instanceof Error ? error.message : String(error) },
    });
  }
}

function respond(id: string, reply: Reply): void {
  if (reply.state !== "log") replies.set(id, reply);
  publish("v1/command/responses", { id, ...reply });
}

const ticking = setInterval(() => {
  state.energy += state.power / 3_600;
  // What was measured while nobody listened is not worth queueing here; a device with a disk would keep it.
  if (client.connected)
    publish("v1/telemetry", { timestamp: now(), power: state.power, energy: state.energy, alerts: [] });
}, 1_000);

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    clearInterval(ticking);
    client.end();
  });
}

/** Unix seconds; fractions are welcome. */
function now(): number {
  return Date.now() / 1_000;
}

/** Takes the answer of generate_config as it is, or the `config` object in it. */
function readConfig(path: string): Config {
  const found = JSON.parse(readFileSync(path, "utf8")) as { readonly config?: Config } & Config;
  return found.config ?? found;
}
