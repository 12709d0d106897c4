import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runBusbar, withFolder } from "../../../test/support/run-busbar.ts";

const EXAMPLES = fileURLToPath(new URL("../../../examples/blueprints/", import.meta.url));
const run = (command: string, world: object = {}) => runBusbar(command, { cwd: EXAMPLES, ...world });
const NOON = "--from 2026-06-15T12:00:00Z";

test("simulate prints a line for each moment, the same for the same seed", async () => {
  const first = await run(`simulate battery ${NOON} --count 3 --seed 7 -a battery_power,mode`);
  expect([first.code, first.err]).toEqual([0, ""]);
  expect(first.out.split("\n")).toEqual([
    expect.stringMatching(/^2026-06-15T12:00:00\.000Z {2}battery_power=-\d+(\.\d+)? mode=\w+$/),
    expect.stringMatching(/^2026-06-15T12:00:01\.000Z {2}battery_power=/),
    expect.stringMatching(/^2026-06-15T12:00:02\.000Z {2}battery_power=/),
    "",
  ]);
  expect((await run(`simulate battery ${NOON} --count 3 --seed 7 -a battery_power,mode`)).out).toBe(first.out);
  expect((await run(`simulate battery ${NOON} --count 3 --seed 8 -a battery_power,mode`)).out).not.toBe(first.out);
});

test("-o json prints the message that a device would send", async () => {
  const { out } = await run(`simulate pv-inverter/manifest.yml ${NOON} --count 2 --step 1m -o json`);
  const [first, second] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect([first?.["timestamp"], second?.["timestamp"]]).toEqual([1781524800, 1781524860]);
  expect(first).toMatchObject({ ac_power: expect.any(Number), alerts: expect.any(Array) });
});

test("-o csv prints what telemetry import reads", async () => {
  const { out } = await run(`simulate grid-meter ${NOON} --count 1 -o csv -a grid_power,alerts --raise phase_missing`);
  expect(out).toMatch(/^ts,telemetry=grid_power,telemetry=alerts\n1781524800,-?\d+(\.\d+)?,"\[""phase_missing""\]"\n$/);
});

test("--set holds values in their declared type, --raise raises alerts", async () => {
  const { out } = await run(
    `simulate ev-charger ${NOON} --count 1 -o json --set ev_connected=no --set power=5.5 --set session_user=007 --raise plug_hot`,
  );
  expect(JSON.parse(out)).toMatchObject({
    ev_connected: false,
    charging_power: 5.5,
    session_user: "007",
    alerts: expect.arrayContaining(["plug_hot"]),
  });
});

test("the sun is up by day in the given time zone", async () => {
  const power = async (zone: string) =>
    Number((await run(`simulate pv-inverter ${NOON} --count 1 -a ac_power --timezone ${zone}`)).out.split("=")[1]);
  expect(await power("Europe/London")).toBeGreaterThan(1_000);
  expect(await power("Pacific/Auckland")).toBe(0);
});

test("without --count it goes on at its speed until the person ends it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let lines = 0;
  const onWrite = () => {
    lines += 1;
    if (lines === 3) resolve();
  };
  const { code, out } = await run(`simulate battery ${NOON} --step 1s --speed 1000 -a mode`, {
    interrupt: promise,
    onWrite,
  });
  expect(code).toBe(0);
  expect(
    out
      .trim()
      .split("\n")
      .slice(0, 3)
      .map((line) => line.slice(11, 19)),
  ).toEqual(["12:00:00", "12:00:01", "12:00:02"]);
});

test("with --speed alone there is a line a second, and more time between them", async () => {
  const { out } = await run(`simulate battery ${NOON} --count 2 --speed 20000 --step 20s -a mode`);
  expect(out.split("\n").map((line) => line.slice(0, 19))).toEqual(["2026-06-15T12:00:00", "2026-06-15T12:00:20", ""]);
});

test.each([
  ["simulate battery --count x", '--count must be a number from 0 to 1000000000, not "x"'],
  ["simulate battery --seed 1.5", '--seed must be a whole number, not "1.5"'],
  ["simulate battery --step soon", '--step must be a duration of at least 1ms, not "soon"'],
  ["simulate battery --timezone Mars", '"Mars" is not a time zone'],
  ["simulate battery --count 1 -a battery_so", 'no telemetry attribute "battery_so"; did you mean battery_soc?'],
  ["simulate battery --count 1 --set battery_soc=full", 'battery_soc must be a number, not "full"'],
  ["simulate battery --count 1 --set mod=remote", 'no telemetry attribute "mod"; did you mean mode?'],
  ["simulate battery --slug x -o csv", "-o csv works without --site, --mqtt, --name, --slug and --rm"],
  ["simulate battery --site --raise x", "--raise works without --site, --mqtt"],
  ["simulate nowhere.yml", "nowhere.yml does not exist"],
])("%s is refused: %s", async (command, message) => {
  const { code, err } = await run(command);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

test("a blueprint with errors is reported as lint does", async () => {
  await withFolder(async (cwd) => {
    writeFileSync(join(cwd, "manifest.yml"), "blueprint_spec: device/3.0\n");
    const { code, err } = await run("simulate manifest.yml --count 1", { cwd });
    expect([code, err]).toEqual([1, expect.stringContaining("display_name")]);
  });
});

test("a manifest can come by standard input", async () => {
  const input = "blueprint_spec: device/3.0\ndisplay_name: x\nruntime: {type: embedded}\n";
  expect((await run("simulate - --count 1 --from 0 -o json", { input })).out).toBe('{"timestamp":0,"alerts":[]}\n');
});
