// What Lua devices cost: 300 of them with a job a second that reads four blocks over Modbus TCP from a process of its own on
// loopback; then the same with hostile neighbours; then the decoder alone next to Debian's native lua5.3. Goals: under 50 %
// of one core and 1 MB a device, and no tick 100 ms late. Prints one JSON line. BENCH_DEVICES and BENCH_SECONDS shrink it.
import { fork, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { parseReachRule } from "#core/net/reach-rule.ts";
import { createLiveRules } from "#drivers/live-rules.ts";
import { noDrivers } from "#drivers/no-drivers.ts";
import { createPortHub } from "#drivers/port-hub.ts";
import { createSimulatedPorts } from "#drivers/simulated-ports.ts";
import { createDeviceScript } from "#runtime/lua/device-script.ts";
import { createLuaEngine } from "#runtime/lua/lua-engine.ts";
import { createLuaPool } from "#runtime/lua/lua-pool.ts";
import type { ScriptHost } from "#runtime/lua/script-host.ts";

const DEVICES = Number(process.env["BENCH_DEVICES"] ?? 300);
const SECONDS = Number(process.env["BENCH_SECONDS"] ?? 20);
const HOSTILE = 20;
const NATIVE = "/usr/bin/lua5.3";
const DECODES = 200_000;

const file = (name: string): string => readFileSync(new URL(`./lua/${name}`, import.meta.url), "utf8");
const round = (value: number, places = 2): number => Number(value.toFixed(places));
const rss = (): number => process.memoryUsage().rss / 2 ** 20;

const plant = fork(new URL("./lua/modbus-plant.ts", import.meta.url), { stdio: ["ignore", "pipe", "inherit", "ipc"] });
const port = await new Promise<number>((resolve) =>
  plant.stdout?.once("data", (line) => resolve(Number(String(line)))),
);
const rule = parseReachRule(`127.0.0.1:${port}`);
if ("problem" in rule) throw new Error(rule.problem);
const hub = createPortHub({ machine: [], simulated: createSimulatedPorts() });

/** By device: each has its own phase, and is late against its earliest tick of the whole run, so that no constant delay hides. */
const earliest = new Map<string, number>();
let lateness = new Map<string, number[]>();
const ticked = new Set<string>();
let failures = 0;
const pool = createLuaPool(
  {
    now: Date.now,
    telemetry(deviceId, values) {
      if (!deviceId.startsWith("meter")) return;
      ticked.add(deviceId);
      const late = values.get("late");
      if (typeof late === "number") lateness.set(deviceId, [...(lateness.get(deviceId) ?? []), late]);
      else failures += 1;
    },
    properties() {},
    log() {},
    respond() {},
    store: () => Promise.resolve(undefined),
    registerChild: async () => undefined,
    statusChanged() {},
  },
  {
    drivers: {
      hub,
      allow: createLiveRules([rule]),
      onBug(error) {
        throw error;
      },
    },
  },
);

const program = {
  entry: "main.lua",
  modules: new Map([
    ["main.lua", file("meter.lua").replace("ADDRESS", `'tcp://127.0.0.1:${port}'`)],
    ["decode.lua", file("decode.lua")],
  ]),
  nodebug: false,
};

async function start(deviceId: string, modules = program.modules): Promise<void> {
  const empty = { configuration: new Map(), storage: new Map(), isConnected: true };
  await pool.start(deviceId, { ...program, modules }, () =>
    Promise.resolve({ deviceId, slug: deviceId, siteId: "site", randomSeed: 1, ...empty }),
  );
}

async function measure() {
  lateness = new Map();
  failures = 0;
  const cpu = process.cpuUsage();
  const began = performance.now();
  await sleep(SECONDS * 1000);
  const used = process.cpuUsage(cpu);
  const seconds = (performance.now() - began) / 1000;
  const all = [...lateness].flatMap(([deviceId, ticks]) => {
    const first = Math.min(earliest.get(deviceId) ?? Number.POSITIVE_INFINITY, ...ticks);
    earliest.set(deviceId, first);
    return ticks.map((late) => late - first);
  });
  const sorted = all.toSorted((a, b) => a - b);
  const cpuSeconds = (used.user + used.system) / 1e6;
  return {
    share_of_core: round(cpuSeconds / seconds, 3),
    ticks_per_s: round(all.length / seconds, 0),
    ticks_per_cpu_s: round(all.length / cpuSeconds, 0),
    late_p99_ms: round(sorted[Math.floor(sorted.length * 0.99)] ?? 0, 1),
    late_worst_ms: round(sorted.at(-1) ?? 0, 1),
    failures,
  };
}

const before = rss();
const startCpu = process.cpuUsage();
for (let index = 0; index < DEVICES; index += 1) {
  await start(`meter-${index}`);
  // Spread over the second, as devices of a site are.
  await sleep(1000 / DEVICES);
}
while (ticked.size < DEVICES) await sleep(100);
const started = process.cpuUsage(startCpu);
const alone = await measure();
const mibPerDevice = (rss() - before) / DEVICES;

const folder = new URL("../test/lua/hostile/", import.meta.url);
const hostile = readdirSync(folder).filter((name) => /^(loop|pattern|sort|gsub|c)-/.test(name));
for (const name of hostile.slice(0, HOSTILE)) {
  await start(`hostile-${name}`, new Map([["main.lua", readFileSync(new URL(name, folder), "utf8")]]));
}
const besideHostile = await measure();
await pool.close();
hub.close();
plant.disconnect();

const figures = {
  bench: "lua",
  devices: DEVICES,
  modbus_reads_per_s: alone.ticks_per_s * 4,
  ...alone,
  mib_per_device: round(mibPerDevice, 3),
  start_cpu_ms_per_device: round((started.user + started.system) / 1000 / DEVICES, 1),
  beside_hostile: { scripts: HOSTILE, ...besideHostile },
  decoder: compareWithNative(),
  load: round(loadavg()[0] ?? 0, 1),
  goals_met: {
    half_a_core: alone.share_of_core < 0.5,
    one_mb: mibPerDevice < 1,
    within_100_ms: Math.max(alone.late_worst_ms, besideHostile.late_worst_ms) < 100,
  },
};
console.log(JSON.stringify(figures));

/** Decoded messages per second of processor time, ours and native, one after the other. */
function compareWithNative(): object {
  const ours = round(decodesPerCpuSecond(), 0);
  if (!existsSync(NATIVE)) return { ours_per_cpu_s: ours, native: "not run: Debian's lua5.3 is not installed" };
  const code = `local decode = dofile('decode.lua')
    local began = os.clock()
    assert(loadfile('decode-loop.lua'))(decode, ${DECODES})
    print(${DECODES} / (os.clock() - began))`;
  const run = spawnSync(NATIVE, ["-e", code], { cwd: new URL("./lua/", import.meta.url), encoding: "utf8" });
  const native = round(Number(run.stdout), 0);
  return { ours_per_cpu_s: ours, native_per_cpu_s: native, ours_to_native: round(ours / native, 3) };
}

function decodesPerCpuSecond(): number {
  const host: ScriptHost = {
    now: Date.now,
    elapsed: () => performance.now(),
    drivers: noDrivers,
    telemetry: () => undefined,
    properties: () => undefined,
    log() {},
    respond() {},
    fault(error) {
      throw new Error(error.message);
    },
    isConnected: () => true,
    wake() {},
    configuration: { read: () => undefined, isAllRequiredSet: () => false },
    storage: { read: () => undefined, write: async () => undefined, remove: async () => undefined },
    randomSeed: 1,
  };
  const modules = new Map([
    ["decode.lua", file("decode.lua")],
    ["main.lua", `local loop = load(LOOP) loop(require('decode'), ${DECODES})`],
  ]);
  modules.set("main.lua", `${modules.get("main.lua")}`.replace("LOOP", `[==[${file("decode-loop.lua")}]==]`));
  const script = createDeviceScript(createLuaEngine({ activityMs: 1e9 }), { ...program, modules }, host);
  const cpu = process.cpuUsage();
  while (script.run(4) === "more");
  const used = process.cpuUsage(cpu);
  return DECODES / ((used.user + used.system) / 1e6);
}
