import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import type { LuaValue } from "#drivers/lua-value.ts";
import { reachRules, simulatedPorts } from "../../test/support/drivers.ts";
import { startModbusServer } from "../../test/support/modbus-server.ts";
import { PATIENT } from "../../test/support/patient.ts";
import { createDriverThread } from "./driver-thread.ts";
import { createLiveRules } from "./live-rules.ts";
import { createPortHub } from "./port-hub.ts";

/** Makes drivers for a device and performs the calls it is sent. */
const THREAD = `
import { parentPort, workerData } from "node:worker_threads";
const { openDriverThread } = await import(${JSON.stringify(new URL("./open-driver-thread.ts", import.meta.url).href)});
const thread = openDriverThread(workerData.data);
const drivers = new Map();
parentPort.on("message", async ({ id, device, name, args }) => {
  if (!drivers.has(device)) drivers.set(device, thread.ofDevice({ id: device, slug: device }));
  parentPort.postMessage({ id, answer: await drivers.get(device).call(name, args) });
});
`;

function setUp(...allow: readonly string[]) {
  const rules = createLiveRules(reachRules(...allow));
  const simulated = simulatedPorts();
  const hub = createPortHub({ machine: [], simulated });
  onTestFinished(() => hub.close());
  const startThread = () => {
    const { data, stop } = createDriverThread({
      hub,
      allow: rules,
      onBug: (error) => {
        throw error;
      },
    });
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
      workerData: { data },
      transferList: [data.channel],
    });
    onTestFinished(async () => {
      await worker.terminate();
      stop();
    });
    const waiting = new Map<number, (answer: readonly LuaValue[]) => void>();
    worker.on("message", ({ id, answer }: { id: number; answer: readonly LuaValue[] }) => waiting.get(id)?.(answer));
    let last = 0;
    const call = (device: string, name: string, ...args: readonly LuaValue[]) =>
      new Promise<readonly LuaValue[]>((resolve) => {
        last++;
        waiting.set(last, resolve);
        worker.postMessage({ id: last, device, name, args });
      });
    return { call, worker };
  };
  return { simulated, startThread, rules };
}

test("devices of several threads share a port, and a thread that ends gives back what it held", async () => {
  const { simulated, startThread } = setUp();
  const heard: string[] = [];
  simulated.port("rs232").serial.onSent((data) => heard.push(Buffer.from(data).toString()));
  const [one, two] = [startThread(), startThread()];
  expect(await one.call("a", "serial.lock", "rs232")).toEqual([]);
  expect(await one.call("a", "serial.write", "rs232", "a")).toEqual([]);
  const later = two.call("b", "serial.write", "rs232", "b");
  expect(await two.call("b", "level.read", "do-1", "state")).toEqual([0]);
  expect(heard).toEqual(["a"]);
  await one.worker.terminate();
  expect(await later).toEqual([]);
  expect(heard).toEqual(["a", "b"]);
});

test("each device of a thread reaches what is allowed for it", async () => {
  const server = await startModbusServer();
  server.unit(1).holdings.set(0, 5);
  const { startThread } = setUp(`battery=127.0.0.1:${server.port}`);
  const { call } = startThread();
  const read = async (device: string) => {
    const [handle] = await call(device, "modbus.open", `tcp://127.0.0.1:${server.port}`);
    return await call(device, "modbus.read", handle, "holdings", 1, 0, 1, 1000);
  };
  expect(await read("battery")).toEqual([[5]]);
  expect(await read("meter")).toEqual([undefined, expect.stringContaining("is not allowed for this device")]);
});

test("rules that change hold for the next connection of a thread that runs, and for threads that start later", async () => {
  const server = await startModbusServer();
  server.unit(1).holdings.set(0, 5);
  const { startThread, rules } = setUp();
  const read = async ({ call }: ReturnType<typeof startThread>) => {
    const [handle] = await call("battery", "modbus.open", `tcp://127.0.0.1:${server.port}`);
    return await call("battery", "modbus.read", handle, "holdings", 1, 0, 1, 1000);
  };
  const first = startThread();
  expect(await read(first)).not.toEqual([[5]]);
  rules.set(reachRules(`battery=127.0.0.1:${server.port}`));
  // Rules and calls come to the thread over two ports, so the next call may be the earlier one.
  await vi.waitFor(async () => expect(await read(first)).toEqual([[5]]), PATIENT);
  expect(await read(startThread())).toEqual([[5]]);
  rules.set([]);
  expect(await read(startThread())).not.toEqual([[5]]);
});
