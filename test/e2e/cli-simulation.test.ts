// Simulated devices from the command line, against a whole Busbar.
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import type { Simulation } from "#client/resources.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { useServer } from "../support/server.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const EXAMPLES = fileURLToPath(new URL("../../examples/blueprints/", import.meta.url));
const run = (command: string | readonly string[], world: object = {}) =>
  runBusbar(command, { cwd: EXAMPLES, env: { BUSBAR_URL: busbar.url, BUSBAR_TOKEN: busbar.adminToken }, ...world });
const simulation = async (command: string | readonly string[]) => {
  const { code, out, err } = await run(command);
  expect([code, err]).toEqual([0, ""]);
  return (JSON.parse(out) as { simulation: Simulation }).simulation;
};

beforeAll(async () => {
  const { code, err } = await run("simulate battery --site --slug rack --name Rack --seed 5 --speed 2 --count 1");
  expect([code, err]).toEqual([0, expect.stringContaining("rack keeps running; busbar device delete rack ends it")]);
});

test("simulate --site made a device that is there and sends", async () => {
  expect((await run("device get rack -o json")).out).toContain('"type": "SIMULATED"');
  const shown = await simulation("simulation rack -o json");
  expect(shown).toMatchObject({ seed: 5, speed: 2 });
});

test("simulate --site shows what the device sends, and --rm deletes it", async () => {
  const { out, err, code } = await run("simulate ev-charger --slug box --count 1 --rm -o json");
  expect(code).toBe(0);
  // Alerts may come before it: which device of the kind this is, is left to chance.
  expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({
    kind: "telemetry",
    telemetry: expect.any(Object),
  });
  expect(err).toContain("deleted box");
  expect((await run("device get box")).code).toBe(4);
});

test("simulation shows everything as a table", async () => {
  const { out } = await run("simulation rack");
  expect(out).toMatch(/^State +running\nSimulated time +\S+ at speed 2, a message every 1s\nSeed +5\n/);
  expect(out).toMatch(/^battery_soc +[\d.]+ +% +telemetry +-$/m);
  expect(out).toMatch(/^serial_number +SIM-\w+ +- +property +-$/m);
});

test("simulation holds and releases values and alerts", async () => {
  const held = await simulation([
    ..."simulation rack --set soc=4 --set serial_number=42 --raise too_hot --clear too_cold -o json".split(" "),
  ]);
  expect([held.telemetry, held.properties, held.alerts]).toEqual([
    { battery_soc: 4 },
    { serial_number: "42" },
    { too_hot: true, too_cold: false },
  ]);
  expect((await run("simulation rack")).out).toMatch(/^battery_soc +4 +% +telemetry +held$/m);
  const after = await simulation("simulation rack --release battery_soc,serial_number,too_hot -o json");
  expect([after.telemetry, after.properties, after.alerts]).toEqual([{}, {}, { too_cold: false }]);
});

test("simulation decides what becomes of the next command", async () => {
  await simulation([
    "simulation",
    "rack",
    "--next-command",
    "fail",
    "--command",
    "read_mode",
    "--message",
    "no link",
    "-o",
    "json",
  ]);
  const failed = await run("run rack read_mode");
  expect([failed.code, failed.err]).toEqual([6, expect.stringContaining("no link")]);
  expect((await run("run rack read_mode")).code).toBe(0);
  const slow = await simulation("simulation rack --next-command slow --delay 2m --no-progress --times 3 -o json");
  expect(slow.next_command).toMatchObject({ kind: "slow", delay: "2m", progress: false, times: 3 });
  expect((await simulation("simulation rack --next-command usual -o json")).next_command).toBeNull();
});

test("simulation pauses, resumes, changes speed, interval and seed, and gives everything back", async () => {
  expect(await simulation("simulation rack --pause -o json")).toMatchObject({ paused: true });
  const changed = await simulation(
    "simulation rack --resume --speed 0.5 --interval 5s --seed 9 --set mode=remote -o json",
  );
  expect(changed).toMatchObject({ paused: false, speed: 0.5, interval: "5s", seed: 9, telemetry: { mode: "remote" } });
  expect(await simulation("simulation rack --reset -o json")).toMatchObject({ telemetry: {}, alerts: {}, written: {} });
});

test.each([
  ["simulation rack --pause --resume", 2, "--pause or --resume, not both"],
  ["simulation rack --delay 5s", 2, "--delay goes with --next-command"],
  ["simulation rack --set battery_soc=full --raise too_hot", 1, 'battery_soc must be a number, not "full"'],
  ["simulation rack --speed fast", 2, '--speed must be a number, not "fast"'],
  ["simulation nobody", 4, "there is no device nobody"],
])("%s ends with %d: %s", async (command, code, message) => {
  expect(await run(command)).toMatchObject({ code, err: expect.stringContaining(message) });
});

test("simulate takes the blueprint of a device on the server", async () => {
  const { out } = await run("simulate rack --count 1 -a battery_soc");
  expect(out).toMatch(/ battery_soc=[\d.]+\n$/);
});

test("simulate --mqtt is a device of its own that sends and answers commands", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const device = run("simulate ev-charger --mqtt --slug mqtt-box --step 100ms --rm", { interrupt: promise });
  await expect.poll(async () => (await run("now mqtt-box:charging_power")).out).toContain("Z");
  expect((await run("run mqtt-box set_current_limit current_limit=11")).code).toBe(0);
  expect((await run("run mqtt-box read_current_limit -o json")).out).toContain('"current_limit": 11');
  expect((await run("device get mqtt-box -o json")).out).toContain('"type": "STANDALONE"');
  resolve();
  const { code, err } = await device;
  expect([code, err]).toEqual([0, expect.stringContaining("deleted mqtt-box")]);
});
