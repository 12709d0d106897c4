// Attributes of a device: what a message with all of them costs, and what each of its points costs.
import { fileURLToPath } from "node:url";
import { type BenchDevice, type Gateway, makeDevices, startGateway } from "../commands/gateway.ts";
import { cpuSeconds, memoryMiB } from "../commands/machine.ts";
import { finish } from "../telemetry/process.ts";
import { costOf, significant } from "./cost.ts";
import { type Curve, type Figures, round } from "./curve.ts";

const PUBLISHER = fileURLToPath(new URL("../telemetry/publish.ts", import.meta.url));
const DEVICES = 4;
const WINDOW = 8;
const WARM_UP_S = 2;
const SECONDS = 3;

export const attributesCurve: Curve = {
  of: "attributes in a message",
  sizes: [1, 2, 5, 10, 20, 50, 100, 200],
  to: 200,
  growth: {
    message_cpu_us: { with: "size", noise: 20 },
    latest_all_cpu_ms: { with: "size", noise: 0.2 },
    latest_one_cpu_ms: { with: "nothing", noise: 0.3 },
  },
  async measure(sizes, { folder, point }) {
    const gateway = await startGateway(folder);
    try {
      for (const size of sizes) {
        const devices = await makeDevices(gateway, manifest(size), DEVICES);
        await publish(devices, size, WARM_UP_S);
        point(size, await measureAttributes(gateway, devices, size));
      }
    } finally {
      await gateway.stop();
    }
  },
};

async function measureAttributes(gateway: Gateway, devices: readonly BenchDevice[], size: number): Promise<Figures> {
  const before = cpuSeconds(gateway.pid);
  const { messages, ackP50 } = await publish(devices, size, SECONDS);
  const us = ((cpuSeconds(gateway.pid) - before) * 1e6) / messages;
  const latest = async (attributes: readonly string[]) => {
    const path = `/v3/telemetry/latest?devices[${devices[0]?.id}]=${attributes.join(",")}`;
    return (await costOf(gateway, () => gateway.call(path))).cpuMs;
  };
  return {
    message_cpu_us: significant(us),
    point_cpu_us: significant(us / size),
    ack_p50_ms: round(ackP50),
    messages,
    latest_one_cpu_ms: await latest(["a0"]),
    latest_all_cpu_ms: await latest(Array.from({ length: size }, (_, n) => `a${n}`)),
    memory_mib: memoryMiB(gateway.pid),
  };
}

interface Published {
  readonly messages: number;
  readonly ackP50: number;
}

async function publish(devices: readonly BenchDevice[], attributes: number, seconds: number): Promise<Published> {
  const credentials = devices.map(({ config }) => ({ ...config.mqtt_credentials, channel: config.channel_id }));
  const port = devices[0]?.config.mqtt_port;
  const job = JSON.stringify({ port, credentials, seconds, late: 0, window: WINDOW, attributes });
  return JSON.parse(await finish(process.execPath, ["--disable-warning=ExperimentalWarning", PUBLISHER, job]));
}

function manifest(attributes: number): string {
  const telemetry = Array.from({ length: attributes }, (_, n) => `  a${n}: { type: float, display_name: A ${n} }\n`);
  return `blueprint_spec: device/3.0
display_name: Device with ${attributes} attributes
runtime: { type: embedded }
telemetry:
${telemetry.join("")}`;
}
