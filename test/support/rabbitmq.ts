// A real cluster of RabbitMQ on loopback: its nodes, with the plugin for MQTT.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./free-port.ts";

// Debian's own script in /usr/sbin changes to the user rabbitmq and its folders.
const PROGRAM = "/usr/lib/rabbitmq/bin/rabbitmq-server";
const EPMD = "/usr/bin/epmd";
export const hasRabbitmq = existsSync(PROGRAM) && existsSync(EPMD);

/** What any device may sign in with, unless the cluster asks somebody else. */
export const ANY_DEVICE = { username: "device", password: "device-secret" } as const;

interface RabbitNode {
  readonly mqttPort: number;
  readonly amqpPort: number;
  isRunning(): boolean;
  /** Kills it, as when its machine is gone. */
  kill(): Promise<void>;
  /** Starts it again with what it had stored. */
  start(): Promise<void>;
}

export interface Rabbitmq {
  readonly nodes: readonly RabbitNode[];
  /** With which Busbar connects: all nodes. */
  readonly url: string;
  /** Where devices connect to: any node that runs. */
  readonly mqttPort: number;
  stop(): Promise<void>;
}

interface RabbitmqOptions {
  readonly plugins?: readonly string[];
  /** More lines for the configuration of each node. */
  readonly config?: readonly string[];
}

export async function startRabbitmq(
  count: number,
  { plugins = ["rabbitmq_mqtt", "rabbitmq_consistent_hash_exchange"], config = [] }: RabbitmqOptions = {},
): Promise<Rabbitmq> {
  const folder = mkdtempSync(join(tmpdir(), "busbar-rabbitmq-"));
  const epmdPort = await freePort();
  const epmd = spawn(EPMD, ["-port", String(epmdPort), "-address", "127.0.0.1"], { stdio: "ignore" });
  const definitions = join(folder, "definitions.json");
  writeFileSync(definitions, JSON.stringify(DEFINITIONS));
  const names = Array.from({ length: count }, (_, n) => `busbar${n}@localhost`);
  const nodes: RabbitNode[] = [];
  for (const name of names) {
    const lines = [
      `load_definitions = ${definitions}`,
      "cluster_formation.peer_discovery_backend = classic_config",
      ...names.map((one, n) => `cluster_formation.classic_config.nodes.${n + 1} = ${one}`),
      "cluster_partition_handling = pause_minority",
      "vm_memory_high_watermark.absolute = 300MB",
      "disk_free_limit.absolute = 50MB",
      "max_message_size = 1048576",
      "mqtt.allow_anonymous = false",
      ...config,
    ];
    nodes.push(await prepareNode({ folder: join(folder, name), name, epmdPort, plugins, lines }));
  }
  const balancer = startBalancer(nodes);
  const mqttPort = await listening(balancer.server);
  const stop = async (): Promise<void> => {
    balancer.stop();
    await Promise.all(nodes.map((node) => node.kill()));
    epmd.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(nodes.map((node) => node.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const places = nodes.map(({ amqpPort }) => `127.0.0.1:${amqpPort}`);
  return { nodes, url: `amqp://busbar:service-secret@${places.join(",")}`, mqttPort, stop };
}

/** Gives each connection to the next node that runs, as a load balancer does. */
function startBalancer(nodes: readonly RabbitNode[]): { readonly server: Server; stop(): void } {
  const sockets = new Set<Socket>();
  let turn = 0;
  const server = createServer((device) => {
    const alive = nodes.filter((node) => node.isRunning());
    turn += 1;
    const upstream = connect(alive[turn % alive.length]?.mqttPort ?? 1, "127.0.0.1");
    for (const [from, to] of [
      [device, upstream],
      [upstream, device],
    ] as const) {
      sockets.add(from);
      from.on("error", () => {});
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  return {
    server,
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

interface NodePlan {
  readonly folder: string;
  readonly name: string;
  readonly epmdPort: number;
  readonly plugins: readonly string[];
  readonly lines: readonly string[];
}

async function prepareNode({ folder, name, epmdPort, plugins, lines }: NodePlan): Promise<RabbitNode> {
  const [amqpPort, mqttPort, distPort] = [await freePort(), await freePort(), await freePort()];
  mkdirSync(folder);
  writeFileSync(join(folder, ".erlang.cookie"), "busbar", { mode: 0o400 });
  writeFileSync(join(folder, "plugins"), `[${plugins.join(",")}].\n`);
  writeFileSync(
    join(folder, "rabbitmq.conf"),
    [`listeners.tcp.1 = 127.0.0.1:${amqpPort}`, `mqtt.listeners.tcp.1 = 127.0.0.1:${mqttPort}`, ...lines, ""].join(
      "\n",
    ),
  );
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    RABBITMQ_NODENAME: name,
    RABBITMQ_DIST_PORT: String(distPort),
    ERL_EPMD_PORT: String(epmdPort),
    ERL_EPMD_ADDRESS: "127.0.0.1",
    RABBITMQ_MNESIA_BASE: join(folder, "mnesia"),
    RABBITMQ_LOG_BASE: join(folder, "log"),
    RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, "plugins"),
    RABBITMQ_CONFIG_FILE: join(folder, "rabbitmq"),
    RABBITMQ_CONF_ENV_FILE: "/dev/null",
    // Several of them share the processors with the tests.
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "+S 1:1 +sbwt none +sbwtdcpu none +sbwtdio none",
    // The script is replaced by the server itself, which can then be killed.
    RUNNING_UNDER_SYSTEMD: "true",
  };
  let child: ChildProcess | undefined;
  return {
    mqttPort,
    amqpPort,
    isRunning: () => child !== undefined,
    async kill() {
      if (child === undefined) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
      child = undefined;
    },
    async start() {
      child = await launch(env, folder);
    },
  };
}

async function launch(env: Readonly<Record<string, string | undefined>>, cwd: string): Promise<ChildProcess> {
  const child = spawn(PROGRAM, [], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
  await new Promise<void>((resolve, reject) => {
    let text = "";
    const read = (chunk: Buffer): void => {
      text = (text + chunk.toString()).slice(-20_000);
      if (/completed with \d+ plugins/.test(text)) resolve();
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", () => reject(new Error(`rabbitmq ended: ${text}`)));
  });
  return child;
}

const everything = (user: string) => ({ user, vhost: "/", configure: ".*", write: ".*", read: ".*" });

/** A device with the permissions of docs/deploy.md. Its hardware id is its user name. */
export const OWN_DEVICE = { username: "HW-own", password: "own-secret" } as const;
const OWN_QUEUES = "^(mqtt-subscription-.*|amq\\.topic)$";

const DEFINITIONS = {
  vhosts: [{ name: "/" }],
  users: [
    { name: "busbar", password: "service-secret", tags: "" },
    { name: ANY_DEVICE.username, password: ANY_DEVICE.password, tags: "" },
    { name: OWN_DEVICE.username, password: OWN_DEVICE.password, tags: "" },
  ],
  permissions: [
    everything("busbar"),
    everything(ANY_DEVICE.username),
    { user: OWN_DEVICE.username, vhost: "/", configure: "^mqtt-subscription-", write: OWN_QUEUES, read: OWN_QUEUES },
  ],
  topic_permissions: [
    {
      user: OWN_DEVICE.username,
      vhost: "/",
      exchange: "amq.topic",
      write: "^v1\\.from\\.{username}\\.",
      read: "^v1\\.to\\.{username}\\.",
    },
  ],
};
