// The gateway under test: `./bin/busbar serve` as a process of its own, on free ports and an empty data folder.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { FakeDeviceConfig } from "../../test/support/fake-device.ts";

const PROGRAM = fileURLToPath(new URL("../../bin/busbar", import.meta.url));
const TOKEN = "bench-admin-token-bench-admin-token";
/** So many provisioning calls at once. */
const AT_ONCE = 50;

export interface Gateway {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Calls the API as administrator; throws unless the answer is 200. */
  call(path: string, body?: object | string): Promise<string>;
  stop(): Promise<void>;
}

/** What a device process needs to connect one device. */
export interface BenchDevice {
  readonly id: string;
  readonly config: FakeDeviceConfig;
}

export async function startGateway(
  folder: string,
  more: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<Gateway> {
  const places = ["--data", folder, "--port", "0", "--mqtt-port", "0"];
  const flags = [...places, "--log-format", "json", "--log-level", "info", ...more];
  const profile = process.env["BENCH_PROFILE"];
  const child = spawn(PROGRAM, ["serve", ...flags], {
    env: {
      ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("BUSBAR_"))),
      BUSBAR_ADMIN_TOKEN: TOKEN,
      BUSBAR_MQTT_MESSAGE_RATE: "1000000",
      ...(profile !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profile}` }),
      ...variables,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const url = await new Promise<string>((resolve, reject) => {
    const lines: string[] = [];
    const log = createInterface({ input: child.stderr });
    log.on("line", (line) => {
      lines.push(line);
      if (!line.startsWith("{")) return;
      const { msg, url: address, level } = JSON.parse(line) as { msg?: string; url?: string; level?: number };
      if (msg === "ready" && address !== undefined) resolve(address);
      if (Number(level) >= 40) console.error(line);
    });
    log.on("close", () => reject(new Error(`the gateway ended before it was ready:\n${lines.join("\n")}`)));
  });
  const headers = { "X-Service-Auth-Token": TOKEN };
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    headers,
    async call(path, body) {
      const init =
        body === undefined ? {} : { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) };
      const response = await fetch(url + path, { ...init, headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path} answered ${response.status} ${text}`);
      return text;
    },
    async stop() {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Devices of one blueprint, each with its login. */
export async function makeDevices(gateway: Gateway, manifest: string, count: number): Promise<readonly BenchDevice[]> {
  const { blueprint } = JSON.parse(await gateway.call("/v3/blueprints/upload", manifest)) as {
    blueprint: { id: string };
  };
  const make = async (name: string): Promise<BenchDevice> => {
    const made = await gateway.call("/v3/provisioning/standalone", { name, blueprint_id: blueprint.id });
    const { device_id: id } = JSON.parse(made) as { device_id: string };
    const answer = await gateway.call(`/v3/devices/${id}/generate_config`, { protocol: "MQTT" });
    return { id, config: (JSON.parse(answer) as { config: FakeDeviceConfig }).config };
  };
  const devices: BenchDevice[] = [];
  while (devices.length < count) {
    const names = Array.from({ length: Math.min(AT_ONCE, count - devices.length) }, (_, at) => devices.length + at);
    devices.push(...(await Promise.all(names.map((index) => make(`Device ${index}`)))));
  }
  return devices;
}
