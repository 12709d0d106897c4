// How long a restart keeps people waiting: `./bin/busbar serve` with 300 Lua devices on one data folder, next to the same
// program without any, in turns. Ready is when it says so; hosted is when every script runs. Goal: ready is at most half as late
// again as without devices. Prints one JSON line. BENCH_DEVICES and BENCH_ROUNDS shrink it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type RunningBusbar, startBusbar } from "../test/support/start-busbar.ts";

const DEVICES = Number(process.env["BENCH_DEVICES"] ?? 300);
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const PATIENCE_MS = 120_000;
const MANIFEST = `blueprint_spec: device/3.0
display_name: Meter
runtime: { type: lua, options: { dir: lua } }
telemetry:
  power: { type: float, display_name: Power }
`;

const MAIN = "require('decode') scheduler.add(1000, function() enapter.send_telemetry({ power = 1.5 }) end)";
const DECODE = readFileSync(new URL("./lua/decode.lua", import.meta.url));
const round = (value: number): number => Math.round(value);

async function call(busbar: RunningBusbar, data: string, body: { path: string; bytes: Buffer | string }) {
  const token = readFileSync(join(data, ".busbar", "admin.token"), "utf8").trim();
  const response = await fetch(busbar.url + body.path, {
    method: "POST",
    headers: { "X-Service-Auth-Token": token },
    body: Buffer.from(body.bytes as string),
  });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as { readonly blueprint: { readonly id: string } };
}

async function fill(data: string): Promise<void> {
  const busbar = await startBusbar(data);
  const files = { "manifest.yml": Buffer.from(MANIFEST), "lua/main.lua": Buffer.from(MAIN), "lua/decode.lua": DECODE };
  const bytes = Buffer.from(packPackage(new Map(Object.entries(files))));
  const { blueprint } = await call(busbar, data, { path: "/v3/blueprints/upload", bytes });
  for (let n = 0; n < DEVICES; n += 1) {
    const device = JSON.stringify({ name: `Meter ${n}`, blueprint_id: blueprint.id });
    await call(busbar, data, { path: "/v3/provisioning/lua_device", bytes: device });
  }
  await busbar.stop();
}

async function running(busbar: RunningBusbar): Promise<number> {
  const text = await (await fetch(`${busbar.url}/metrics`)).text();
  return Number(/busbar_hosted_devices\{state="RUNNING"\} (\d+)/.exec(text)?.[1] ?? 0);
}

/** Milliseconds from the start of the process. */
async function measure(data: string, devices: number) {
  const began = performance.now();
  const busbar = await startBusbar(data);
  const ready = performance.now() - began;
  while ((await running(busbar)) < devices) {
    if (performance.now() - began > PATIENCE_MS) throw new Error("the scripts do not all run");
    await sleep(20);
  }
  const hosted = performance.now() - began;
  await busbar.stop();
  return { ready, hosted };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const [full, empty] = [mkdtempSync(join(tmpdir(), "busbar-bench-")), mkdtempSync(join(tmpdir(), "busbar-bench-"))];
try {
  await fill(full);
  const measured = { full: [] as { ready: number; hosted: number }[], empty: [] as number[] };
  for (let n = 0; n < ROUNDS; n += 1) {
    measured.full.push(await measure(full, DEVICES));
    measured.empty.push((await measure(empty, 0)).ready);
  }
  const ready = median(measured.full.map((one) => one.ready));
  const bare = median(measured.empty);
  console.log(
    JSON.stringify({
      bench: "lua-restart",
      devices: DEVICES,
      ready_ms: round(ready),
      ready_without_devices_ms: round(bare),
      ratio: Number((ready / bare).toFixed(2)),
      hosted_ms: round(median(measured.full.map((one) => one.hosted))),
      load: Number((loadavg()[0] ?? 0).toFixed(1)),
      goals_met: { ready: ready <= 1.5 * bare },
    }),
  );
} finally {
  for (const folder of [full, empty]) rmSync(folder, { recursive: true, force: true });
}
