// Devices that are connected over MQTT: what the gateway takes for each while nothing happens and for what it sends, a command
// beside the others, lists, and the start with so many devices.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { order } from "../commands/device-orders.ts";
import { runDevices } from "../commands/device-process.ts";
import { type BenchDevice, type Gateway, makeDevices, startGateway } from "../commands/gateway.ts";
import { cpuSeconds, memoryMiB } from "../commands/machine.ts";
import { costOf, significant } from "./cost.ts";
import { type Curve, EXAMPLE_DEVICE, type Figures, rest, round } from "./curve.ts";
import { LIST_GROWTH, listCosts } from "./device-lists.ts";

const SELF = fileURLToPath(new URL("../growth.ts", import.meta.url));
const FLAGS = ["--mqtt-port", "0"];
const COMMANDED = 10;
const SENDING = 500;
/** Of all devices together, however many there are. */
const MESSAGES_PER_SECOND = 500;
const SECONDS = 5;

export const devicesCurve: Curve = {
  of: "devices over MQTT",
  sizes: [10, 100, 1_000, 3_000, 10_000],
  to: 3_000,
  growth: {
    idle_cpu_ms_per_s: { with: "size", noise: 5 },
    memory_mib: { with: "size", noise: 60 },
    connect_cpu_ms: { with: "nothing", noise: 1.5 },
    message_cpu_us: { with: "nothing", noise: 100 },
    command_cpu_ms: { with: "nothing", noise: 0.5 },
    start_cpu_s: { with: "nothing", noise: 0.2 },
    ...LIST_GROWTH,
  },
  async measure(sizes, { folder, point, say }) {
    const manifest = readFileSync(EXAMPLE_DEVICE, "utf8");
    const devices: BenchDevice[] = [];
    for (const size of sizes) {
      const data = join(folder, "data");
      const first = await startGateway(data, FLAGS);
      const made = await cpuOf(first, async () => {
        devices.push(...(await makeDevices(first, manifest, size - devices.length)));
      });
      await first.stop();
      say(`${size} devices are there, ${significant(made)} s of processor time for the new ones`);
      const began = performance.now();
      const gateway = await startGateway(data, FLAGS);
      const start = { start_cpu_s: cpuSeconds(gateway.pid), start_ms: Math.round(performance.now() - began) };
      try {
        point(size, { ...start, ...(await measureConnected(gateway, await atPort(gateway, devices))) });
      } finally {
        await gateway.stop();
      }
    }
  },
};

/** Runs as a process of its own. */
export const runDeviceProcess = runDevices;

/** A gateway that starts again has another port. */
async function atPort(gateway: Gateway, devices: readonly BenchDevice[]): Promise<readonly BenchDevice[]> {
  const [first] = devices;
  const answer = await gateway.call(`/v3/devices/${first?.id}/generate_config`, { protocol: "MQTT" });
  const { config } = JSON.parse(answer) as { config: BenchDevice["config"] };
  return devices.map((device, at) => ({
    ...device,
    config: at === 0 ? config : { ...device.config, mqtt_port: config.mqtt_port },
  }));
}

async function measureConnected(gateway: Gateway, devices: readonly BenchDevice[]): Promise<Figures> {
  await rest(3);
  const emptyMiB = memoryMiB(gateway.pid);
  const child = fork(SELF, ["device-process"]);
  try {
    const connectS = await cpuOf(gateway, async () => {
      await order(child, { do: "connect", configs: devices.map(({ config }) => config) });
    });
    await rest(2);
    const connectedMiB = memoryMiB(gateway.pid);
    const idleS = await cpuOf(gateway, () => rest(SECONDS));
    let sent = 0;
    const active = Math.min(SENDING, devices.length);
    const everyMs = Math.round((1_000 * active) / MESSAGES_PER_SECOND);
    const telemetry = { do: "telemetry", active, everyMs, seconds: SECONDS } as const;
    // The first run warms up.
    await order(child, telemetry);
    const messagesS = await cpuOf(gateway, async () => {
      ({ sent } = await order(child, telemetry));
    });
    const command = await costOf(gateway, (call) => {
      const id = devices[call % Math.min(COMMANDED, devices.length)]?.id ?? "";
      return gateway.call(`/v3/devices/${id}/commands/execute`, { name: "set_power", arguments: { power: 1 } });
    });
    return {
      connect_cpu_ms: significant((connectS * 1_000) / devices.length),
      idle_cpu_ms_per_s: round((idleS * 1_000) / SECONDS),
      message_cpu_us: Math.round(((messagesS - idleS) * 1e6) / sent),
      command_cpu_ms: command.cpuMs,
      command_p50_ms: command.p50Ms,
      started_mib: emptyMiB,
      memory_mib: memoryMiB(gateway.pid),
      connection_kib: round(((connectedMiB - emptyMiB) * 1_024) / devices.length),
      ...(await listCosts(gateway, devices.length)),
    };
  } finally {
    child.disconnect();
  }
}

async function cpuOf({ pid }: Gateway, act: () => Promise<unknown>): Promise<number> {
  const before = cpuSeconds(pid);
  await act();
  return cpuSeconds(pid) - before;
}
