// The command line against a real service and a device that speaks MQTT.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectFakeDevice, type FakeDevice } from "../support/fake-device.ts";
import { PATIENT } from "../support/patient.ts";
import { runBusbar } from "../support/run-busbar.ts";
import { goBusbar, type RunningBusbar, startBusbar } from "../support/start-busbar.ts";

const MANIFEST = `
blueprint_spec: device/3.0
display_name: Charger
runtime: {type: embedded}
command_groups: {main: {display_name: Main}}
commands:
  charge:
    group: main
    display_name: Charge
    aliases: go
    arguments:
      power: {type: float, display_name: Power, unit: kW, min: 0, max: 11, required: true}
      mode: {type: string, display_name: Mode, enum: [fast, sun], default: sun}
    populate_values_command: read
  read: {group: main, display_name: Read}
  unlock:
    group: main
    display_name: Unlock
    confirmation: {severity: warning, title: Unlock the plug?, description: The cable comes loose.}
  login:
    group: main
    display_name: Log in
    arguments:
      pin: {type: string, display_name: PIN, sensitive: true, required: true}
configuration:
  wifi:
    display_name: Wi-Fi
    parameters:
      ssid: {type: string, display_name: Network, required: true}
      password: {type: string, display_name: Password, sensitive: true}
`;

/** The machine may be busy. */
const PIN = "canary-4711-canary";

let folder: string;
let server: RunningBusbar;
let device: FakeDevice;

/** In this process, which saves most of its start. What goes on while the test does is the program itself. */
const busbar = (...words: readonly string[]) => runBusbar(words, { cwd: folder, env: { BUSBAR_URL: server.url } });
const going = (...words: readonly string[]) => goBusbar(folder, words, { BUSBAR_URL: server.url });

async function json(...words: readonly string[]) {
  const { code, out, err } = await busbar(...words, "-o", "json");
  expect(code, err).toBe(0);
  return JSON.parse(out);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "busbar-e2e-commands-"));
  writeFileSync(join(folder, "manifest.yml"), MANIFEST);
  writeFileSync(join(folder, "pin"), `${PIN}\n`);
  // Short for the one test of silence; with 1 s a busy machine could let a command expire before it was sent.
  server = await startBusbar(folder, "--mqtt-port", "0", "--commands-response-timeout", "4s", "--log-level", "debug");
  await json("device", "create", "standalone", "Charger", "--blueprint-path", join(folder, "manifest.yml"));
  device = await connectFakeDevice((await json("device", "generate-config", "charger")).config);
});
afterAll(async () => {
  await device.close();
  await server.stop("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("a command runs with typed arguments, its progress is printed, and its answer printed", async () => {
  const run = going("run", "charger", "go", "power=7.5");
  const command = await device.nextCommand("charge");
  expect(command.arguments).toEqual({ power: 7.5, mode: "sun" });
  await run.until("err", /STARTED/);
  await command.log({ message: "the relay is closed", percent: 40 });
  await run.until("err", /IN_PROGRESS {2}the relay is closed percent=40/);
  await command.completed({ energy: 12.5 });
  const { code, out, err } = await run.ended;
  expect(code).toBe(0);
  expect(out).toMatch(/^command +go \(charge\)$/m);
  expect(out).toMatch(/^state +SUCCESS$/m);
  expect(out).toMatch(/^energy +12.5$/m);
  expect(err).toMatch(/SUCCEEDED +energy=12.5\n$/);
});

test("an error of the device is exit code 6", async () => {
  const run = going("run", "charger", "charge", "power=1", "-o", "json");
  await (await device.nextCommand("charge")).error({ message: "no car" });
  const { code, out, err } = await run.ended;
  expect(code).toBe(6);
  expect(err).toContain("busbar: the device answered with an error: no car");
  expect(JSON.parse(out).execution).toMatchObject({ state: "ERROR", response: { payload: { message: "no car" } } });
});

test("silence of the device is exit code 7, and a late answer is found", async () => {
  const run = going("run", "charger", "charge", "power=2");
  const command = await device.nextCommand("charge");
  const { code, err } = await run.ended;
  expect(code).toBe(7);
  const [, hint = ""] = /busbar (execution get .+)/.exec(err) ?? [];
  await command.completed({ late: true });
  await expect.poll(async () => (await busbar(...hint.split(" "))).out, PATIENT).toMatch(/^state +SUCCESS$/m);
});

test("--prefill sends what the device has now where nothing is given", async () => {
  const run = going("run", "charger", "charge", "--prefill", "mode=fast");
  await (await device.nextCommand("read")).completed({ power: 3.6, mode: "sun" });
  const command = await device.nextCommand("charge");
  expect(command.arguments).toEqual({ power: 3.6, mode: "fast" });
  await command.completed();
  const { code, err } = await run.ended;
  expect(code).toBe(0);
  expect(err).toContain("from read: power=3.6\n");
  expect((await json("execution", "list", "charger", "--name", "read")).total_count).toBe(0);
  expect((await json("execution", "list", "charger", "--name", "read", "--retention", "ALL")).total_count).toBe(1);
});

test("a command that wants to be confirmed is, and without anybody there only --yes does it", async () => {
  const refused = await busbar("run", "charger", "unlock");
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toContain("WARNING  Unlock the plug?\n  The cable comes loose.\n");
  expect(refused.err).toContain("add --yes");
  expect((await json("execution", "list", "charger", "--name", "unlock")).total_count).toBe(0);
  const run = going("run", "charger", "unlock", "--yes");
  await (await device.nextCommand("unlock")).completed();
  expect((await run.ended).code).toBe(0);
});

test("a sensitive value reaches the device and nothing else", async () => {
  const run = going("run", "charger", "login", "pin=@pin");
  const command = await device.nextCommand("login");
  expect(command.arguments).toEqual({ pin: PIN });
  await command.completed();
  const ran = await run.ended;
  expect(ran.out).toMatch(/^arguments +pin=\*\*\*$/m);
  const reads = await Promise.all([
    busbar("execution", "list", "charger", "-o", "json"),
    busbar("execution", "get", "charger", "-o", "json", "--expand", "log"),
    busbar("audit", "list", "-o", "json"),
    busbar("device", "logs", "charger"),
  ]);
  const seen = [ran, ...reads].map(({ out, err }) => out + err).join() + server.log.join();
  expect(seen).toContain('"name": "login"');
  expect(seen).not.toContain("canary");
});

test("an execution is watched from elsewhere, and Ctrl-C leaves it running", async () => {
  const run = going("run", "charger", "charge", "power=4");
  const command = await device.nextCommand("charge");
  await run.until("err", /STARTED/);
  // Keeps the command alive however long the next steps take.
  const beat = setInterval(() => void command.log({ message: "still charging" }), 200);
  run.kill("SIGINT");
  const stopped = await run.ended;
  expect(stopped.code).toBe(130);
  const [, hint = ""] = /busbar (execution watch .+)/.exec(stopped.err) ?? [];
  const watch = going(...hint.split(" "));
  await watch.until("err", /STARTED/);
  const wait = going("execution", "wait", "charger", hint.split(" ").at(-1) ?? "");
  await watch.until("err", /still charging/);
  clearInterval(beat);
  await command.completed({ done: true });
  const watched = await watch.ended;
  expect(watched.code).toBe(0);
  expect(watched.err).toMatch(/SUCCEEDED +done=true/);
  expect(await wait.ended).toMatchObject({ code: 0, err: "", out: watched.out });
});

test("--no-wait prints an id that execution get understands", async () => {
  const { code, out } = await busbar("run", "charger", "read", "--no-wait", "--ephemeral");
  expect(code).toBe(0);
  await (await device.nextCommand("read")).completed();
  const { execution } = await json("execution", "get", "charger", out.trim());
  expect(execution).toMatchObject({ id: out.trim(), ephemeral: true });
});

test("logs are read and followed, and events show the same", async () => {
  await device.log("before", { severity: "warning" });
  await expect.poll(async () => (await busbar("device", "logs", "charger")).out, PATIENT).toMatch(/WARNING +before\n/);
  const follow = going("device", "logs", "charger", "-f", "--since", "-1h");
  const events = going("events", "--kind", "log", "--device", "charger");
  await follow.until("out", /before/);
  await events.until("err", /listening/);
  await device.log("after", { severity: "error" });
  await follow.until("out", /WARNING +before\n[^\n]+ERROR +after\n/);
  await events.until("out", /log +charger +error: after\n/);
  for (const command of [follow, events]) {
    command.kill("SIGTERM");
    await command.ended;
  }
});

test("the configuration is set, delivered to the device, and read without what is sensitive", async () => {
  const incomplete = await busbar("device", "config", "set", "charger", "wifi", "password=@pin");
  expect(incomplete).toMatchObject({ code: 2, err: expect.stringContaining("ssid is required") });
  expect((await busbar("device", "config", "set", "charger", "wifi", "ssid=Plant", "password=@pin")).code).toBe(0);
  expect((await busbar("device", "config", "set", "charger", "wifi", "ssid=Plant 2")).code).toBe(0);
  await expect
    .poll(() => device.configurations.at(-1), PATIENT)
    .toMatchObject({ wifi: { ssid: "Plant 2", password: PIN } });
  const { out } = await busbar("device", "config", "get", "charger");
  expect(out).toMatch(/^wifi +ssid +Plant 2 /m);
  expect(out).toMatch(/^wifi +password +\*\*\* /m);
});

test("the device list shows who is there", async () => {
  expect((await busbar("device", "list")).out).toMatch(/^charger +Charger +STANDALONE +ONLINE$/m);
});

test("nothing sensitive lies in the log or in the data folder in the clear", () => {
  expect(server.log.join()).not.toContain("canary");
  const files = readdirSync(join(folder, ".busbar"), { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect(files.length).toBeGreaterThan(2);
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name)).includes("canary"), name).toBe(false);
  }
});
