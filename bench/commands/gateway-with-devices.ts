// A bench of one gateway and its devices, each in a process of their own. Prints one JSON line with what `measure` found.
import { type ChildProcess, fork } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { order, round } from "./device-orders.ts";
import { type BenchDevice, type Gateway, makeDevices, startGateway } from "./gateway.ts";
import { memoryMiB } from "./machine.ts";

interface DeviceBench {
  readonly name: string;
  /** The file that runs the devices when it is called with `devices`. */
  readonly self: string;
  readonly manifest: string;
  readonly count: number;
  readonly measure: (
    gateway: Gateway,
    devices: ChildProcess,
    made: readonly BenchDevice[],
  ) => Promise<Readonly<Record<string, unknown>>>;
}

const parent = fileURLToPath(new URL("../../.busbar/", import.meta.url));

export async function benchWithDevices({ name, self, manifest, count, measure }: DeviceBench): Promise<void> {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "bench-"));
  const gateway = await startGateway(join(folder, "data"));
  const devices = fork(self, ["devices"]);
  try {
    const made = await makeDevices(gateway, manifest, count);
    await order(devices, { do: "connect", configs: made.map(({ config }) => config) });
    const found = await measure(gateway, devices, made);
    const load = loadavg().map(round);
    const all = {
      bench: name,
      cores: cpus().length,
      load,
      devices: count,
      ...found,
      memoryMiB: memoryMiB(gateway.pid),
    };
    console.log(JSON.stringify(all));
  } finally {
    devices.kill();
    await gateway.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
