// The example scripts against the plant of the demo: what they report is what the demo's history says.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseReachRule } from "#core/net/reach-rule.ts";
import { demoDevices } from "#demo/demo-devices.ts";
import { type RunningPlant, startPlant } from "#demo/devices/start-plant.ts";
import { newPlant, runPlant } from "#demo/plant/plant.ts";
import { createSimulatedPorts } from "#drivers/simulated-ports.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { exampleProgram, type LiveScript, liveScript } from "../support/live-script.ts";

// A working day with a car at the charger, a running electrolyser and sun, wherever this machine stands.
const NOW = new Date(2026, 5, 8, 10, 30).getTime();
const START = NOW - 10.5 * 3_600_000;
const SITE = { seed: 7, latitude: 40, longitude: -new Date(NOW).getTimezoneOffset() / 4 };

const devices = demoDevices(SITE);
const scripts = new Map<string, LiveScript>();
let running: RunningPlant;

function blueprintOf(example: string) {
  const file = fileURLToPath(new URL(`../../examples/blueprints/${example}/manifest.yml`, import.meta.url));
  const { blueprint } = parseManifest(readFileSync(file, "utf8"), { profiles: starterLibrary() });
  if (blueprint === undefined) throw new Error(`${example} has no blueprint`);
  return blueprint;
}

/** Defaults of the manifest, what the demo configures, and where the plant listens. */
function configurationOf(device: (typeof devices)[number]) {
  const defaults = [...blueprintOf(device.example).configuration.values()].map(({ id, parameters }) => {
    const values = [...parameters].map(([name, { default: value }]) => [name, value] as const);
    return [id, Object.fromEntries(values.filter(([, value]) => value !== undefined))] as const;
  });
  const port = device.server === undefined ? 0 : running.ports[device.server];
  const all: Record<string, Readonly<Record<string, unknown>>> = Object.fromEntries(defaults);
  for (const [bucket, values] of Object.entries(device.configuration)) all[bucket] = { ...all[bucket], ...values };
  return { ...all, connection: { ...all["connection"], ...device.connection(port) } };
}

beforeAll(async () => {
  const simulated = createSimulatedPorts();
  const memory = runPlant(SITE, newPlant(SITE, START), { to: NOW, stepMs: 30_000 });
  running = await startPlant({ site: SITE, memory, now: () => NOW, simulated, preferred: {} });
  for (const device of devices) {
    const port = device.server === undefined ? undefined : running.ports[device.server];
    const rule = parseReachRule(`127.0.0.1:${port ?? 1}`);
    if ("problem" in rule) throw new Error(rule.problem);
    const program = exampleProgram(device.example);
    const configuration = configurationOf(device);
    scripts.set(device.example, liveScript({ program, simulated, rules: [rule], configuration, now: () => NOW }));
  }
});

afterAll(async () => {
  for (const script of scripts.values()) script.close();
  await running.stop();
});

describe.each(devices.map((device) => [device.example, device] as const))("%s", (example, device) => {
  const script = () => scripts.get(example) as LiveScript;

  test("reports of the plant what its history says, and everything that its manifest declares", async () => {
    await expect.poll(() => script().telemetry.size).toBeGreaterThan(5);
    const reported = Object.fromEntries(
      [...script().telemetry].map(([name, value]) => [name, Array.isArray(value) ? JSON.stringify(value) : value]),
    );
    const plant = running.plant.now();
    const expected = Object.entries(device.attributes).map(([name, read]) => [name, read(plant)] as const);
    expect(reported).toEqual(Object.fromEntries(expected));
    expect(Object.keys(reported).sort()).toEqual([...blueprintOf(example).telemetry.keys()].sort());
  });

  test("has nothing to complain about", () => {
    expect(script().logs.filter((line) => !line.startsWith("info"))).toEqual([]);
  });
});

test("properties come from the devices", async () => {
  const vendors = () => devices.map(({ example }) => scripts.get(example)?.properties.get("vendor"));
  await expect.poll(vendors).toEqual(["Solarwerk", "Speicher", "Netzblick", "Aquavolt", "Ladeplatz", "Wetterhahn"]);
});
