// What benches with devices in a process of their own share: orders to that process, and what the gateway takes meanwhile.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import type { DeviceOrder, DeviceReport } from "./device-process.ts";
import { cpuSeconds } from "./machine.ts";

export async function order(devices: ChildProcess, what: DeviceOrder): Promise<DeviceReport> {
  const ended = new AbortController();
  const end = () => ended.abort(new Error("the process of the devices has ended"));
  devices.once("exit", end);
  try {
    const answered = once(devices, "message", { signal: ended.signal });
    devices.send(what);
    const [report] = (await answered) as [DeviceReport];
    return report;
  } finally {
    devices.off("exit", end);
  }
}

/** Processor time of the whole gateway and of its main thread while something happens, as shares of one core. */
export async function sharesWhile(pid: number, act: () => Promise<unknown>) {
  const [all, main] = [cpuSeconds(pid), cpuSeconds(pid, "main")];
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1000;
  return {
    corePercent: round((100 * (cpuSeconds(pid) - all)) / seconds),
    mainThreadPercent: round((100 * (cpuSeconds(pid, "main") - main)) / seconds),
  };
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
