// What control costs: 300 connected devices that measure a value a second, first with nobody who controls them, then each with a
// claim that is refreshed, and at last with claims that change. Gateway and devices are processes of their own. The cost of
// control is the processor time of the whole gateway beyond that of the first part, as a share of one core. Prints one JSON line.
// Goal: below 10 % of a core. Usage: node bench/control.ts; BENCH_SECONDS is the length of each part.
import type { ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";
import { order, round, sharesWhile } from "./commands/device-orders.ts";
import { runDevices } from "./commands/device-process.ts";
import type { BenchDevice, Gateway } from "./commands/gateway.ts";
import { benchWithDevices } from "./commands/gateway-with-devices.ts";

const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 30);
const SETTLE_S = 10;
const DEVICES = 300;
/** Of the part with changes: each device gets a new value so often. */
const CHANGE_EVERY_S = 10;

const MANIFEST = `blueprint_spec: device/3.0
display_name: Controlled device
runtime: {type: embedded}
telemetry:
  power: {type: float, unit: W, display_name: Power}
  energy: {type: float, unit: W.h, display_name: Energy}
command_groups: {control: {display_name: Control}}
commands:
  set_power:
    group: control
    display_name: Set the power
    arguments: {power: {type: float, unit: W, min: 0, max: 100000, required: true, display_name: Power}}
.busbar:
  controls:
    power: {command: set_power, argument: power, reads: power, tolerance: 1, refresh: 30s, fallback: {value: 0}}
`;

const self = fileURLToPath(import.meta.url);

if (process.argv[2] === "devices") runDevices();
else await benchWithDevices({ name: "control", self, manifest: MANIFEST, count: DEVICES, measure });

async function measure(gateway: Gateway, devices: ChildProcess, made: readonly BenchDevice[]) {
  await order(devices, { do: "telemetry", active: DEVICES, seconds: SETTLE_S });
  const idle = await part(gateway, devices);
  await claimAll(gateway, made, 1);
  await order(devices, { do: "telemetry", active: DEVICES, seconds: SETTLE_S, isObeying: true });
  const claimed = await part(gateway, devices);
  const followed = await countFollowed(gateway, made);
  const changed = await part(gateway, devices, async (second) => {
    const first = (second % CHANGE_EVERY_S) * (DEVICES / CHANGE_EVERY_S);
    await claimAll(gateway, made.slice(first, first + DEVICES / CHANGE_EVERY_S), 2 + second);
  });
  return {
    followed,
    parts: { idle, claimed, changed },
    costPercent: round(claimed.corePercent - idle.corePercent),
    costWithChangesPercent: round(changed.corePercent - idle.corePercent),
  };
}

async function part(gateway: Gateway, devices: ChildProcess, each: (second: number) => Promise<void> = async () => {}) {
  let commandsSoFar = 0;
  const shares = await sharesWhile(gateway.pid, async () => {
    const began = performance.now();
    const sending = order(devices, { do: "telemetry", active: DEVICES, seconds: SECONDS, isObeying: true });
    for (let second = 0; second < SECONDS; second += 1) {
      await each(second);
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, began + (second + 1) * 1000 - performance.now())));
    }
    const { commands, sent, acknowledged } = await sending;
    if (sent !== acknowledged) throw new Error(`${sent - acknowledged} messages were lost`);
    commandsSoFar = commands;
  });
  return { ...shares, commandsSoFar };
}

async function claimAll(gateway: Gateway, devices: readonly BenchDevice[], value: number): Promise<void> {
  const body = { value, class: "rule", reason: "bench", lease: "1d" };
  await Promise.all(devices.map(({ id }) => gateway.call(`/v3/devices/${id}/controls/power/claims`, body)));
}

async function countFollowed(gateway: Gateway, devices: readonly BenchDevice[]): Promise<number> {
  let followed = 0;
  for (const { id } of devices) {
    const { control } = JSON.parse(await gateway.call(`/v3/devices/${id}/controls/power`)) as {
      control: { follow: string };
    };
    if (control.follow === "followed") followed += 1;
  }
  return followed;
}
