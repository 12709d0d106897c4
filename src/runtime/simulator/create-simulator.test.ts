import { expect, test } from "vitest";
import { type Device, UNSET_FIELDS } from "#core/device/device.ts";
import type { Adjustments } from "#core/simulator/adjustments.ts";
import { instant } from "#core/time/instant.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createBackground } from "#service/background.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import { createFakeClock } from "../../../test/support/fake-clock.ts";
import { createFakeInbox } from "../../../test/support/fake-inbox.ts";
import { makeEntry } from "../../../test/support/records.ts";
import { createSimulator } from "./create-simulator.ts";

const NOON = instant(Date.UTC(2026, 5, 15, 12));
const MANIFEST = `blueprint_spec: device/3.0
display_name: Pump
runtime: {type: embedded}
telemetry:
  limit_now: {type: float, display_name: Limit}
command_groups: {main: {display_name: Main}}
commands:
  read_limit: {group: main, display_name: Read, response: {limit_now: {type: float, required: true}}}
  calibrate: {group: main, display_name: Calibrate}
  set_limit: {group: main, display_name: Set, arguments: {limit_now: {type: float, display_name: Limit, default: 5}}}
configuration:
  limits:
    display_name: Limits
    parameters:
      limit_now: {type: float, display_name: Limit}
      pin: {type: string, display_name: PIN, sensitive: true}
`;

function world(configuration: DeviceConfiguration = new Map()) {
  const { blueprint } = parseManifest(MANIFEST);
  const clock = createFakeClock(NOON);
  const inbox = createFakeInbox([]);
  const stored = new Map<string, Adjustments>();
  const failures: string[] = [];
  let isBroken = false;
  const simulator = createSimulator({
    inbox,
    simulations: {
      get: async (id) => {
        if (isBroken) throw new Error("the disk is full");
        return stored.get(id);
      },
      put: async (id, adjustments) => {
        if (isBroken) throw new Error("the disk is full");
        stored.set(id, adjustments);
        return true;
      },
    },
    background: createBackground((name, error) => failures.push(`${name}: ${error}`)),
    now: clock.now,
    elapsed: clock.now,
    after: clock.after,
    blueprintOf: async ({ blueprintId }) => (blueprintId === undefined ? undefined : blueprint),
    controlsOf: () => new Map(),
    configurationOf: async () => configuration,
    offsetOf: async () => 0,
  });
  const telemetry = () => inbox.calls.filter((call) => call.startsWith("telemetry"));
  const responses = () => inbox.calls.filter((call) => call.startsWith("response"));
  const breakDisk = () => {
    isBroken = true;
  };
  return { simulator, clock, inbox, stored, failures, telemetry, responses, breakDisk };
}

function device(id: string, blueprintId: string | undefined = "b"): Device {
  const at = { createdAt: NOON, updatedAt: NOON };
  return { ...UNSET_FIELDS, id, siteId: "s", name: id, slug: id, type: "SIMULATED", blueprintId, ...at };
}

const command = (name: string, given: object = {}) => ({ id: `x-${name}`, name, arguments: given as never });

test("a device sends once a second with a round time, each at its own moment of it", async () => {
  const { simulator, clock, inbox, telemetry } = world();
  for (const id of ["a", "b", "c"]) await simulator.host.start(device(id));
  await clock.advance(10_000);
  expect(telemetry().filter((call) => call.startsWith("telemetry a "))).toHaveLength(10);
  expect(telemetry()).toHaveLength(30);
  const times = telemetry().map((call) => /"takenAt":(\d+)/.exec(call)?.[1]);
  expect(times.every((time) => Number(time) % 1_000 === 0)).toBe(true);
  expect(inbox.signs.get("a")).toBeGreaterThanOrEqual(10);
});

test("a thousand devices share one timer", async () => {
  const { simulator, clock } = world();
  for (let index = 0; index < 1_000; index++) await simulator.host.start(device(`d${index}`));
  expect(clock.waiting).toBe(1);
  simulator.stop();
  expect(clock.waiting).toBe(0);
});

test("while the store is slow, messages are left out, not heaped up; signs of life go on", async () => {
  const { simulator, clock, inbox, telemetry } = world();
  await simulator.host.start(device("a"));
  await clock.advance(2_000);
  const [sent, signs] = [telemetry().length, inbox.signs.get("a") ?? 0];
  inbox.hold();
  await clock.advance(10_000);
  expect(telemetry()).toHaveLength(sent + 1);
  expect(inbox.signs.get("a")).toBeGreaterThanOrEqual(signs + 10);
  inbox.release();
  await clock.advance(2_000);
  expect(telemetry().length).toBeGreaterThan(sent + 1);
});

test("a device that a fault of the service keeps from running says so, and the fault itself goes to the log", async () => {
  const { simulator, breakDisk, failures } = world();
  breakDisk();
  await simulator.host.start(device("a"));
  expect(simulator.host.status("a")).toMatchObject({
    state: "FAILED",
    lastError: { message: "the simulation could not be started; the service's log says why" },
  });
  await expect.poll(() => failures).toEqual(["start a device: Error: the disk is full"]);
});

test("a device without a blueprint does not run, and its status says why", async () => {
  const { simulator, clock, telemetry } = world();
  await simulator.host.start({ ...device("a"), blueprintId: undefined });
  await clock.advance(5_000);
  expect(simulator.host.status("a")).toMatchObject({
    state: "FAILED",
    lastError: { message: "the device has no blueprint to simulate" },
  });
  expect([simulator.carrier.isReady("a"), simulator.look("a"), telemetry()]).toEqual([false, undefined, []]);
});

test("a command under way ends as interrupted when the device is started anew, and is not heard of twice", async () => {
  const { simulator, clock, responses } = world();
  await simulator.host.start(device("a"));
  await simulator.carrier.send("a", command("calibrate"));
  await clock.advance(3_000);
  expect(responses().some((call) => call.includes("IN_PROGRESS"))).toBe(true);
  await simulator.host.restart("a");
  await clock.advance(20_000);
  const ends = responses().filter((call) => !call.includes("IN_PROGRESS"));
  expect(ends).toEqual([expect.stringMatching(/ERROR.*interrupted by restart, outcome unknown/)]);
  expect(simulator.host.status("a")).toMatchObject({ state: "RUNNING", startCount: 2 });
});

test("a stopped device says nothing more and takes nothing", async () => {
  const { simulator, clock, inbox } = world();
  await simulator.host.start(device("a"));
  await simulator.carrier.send("a", command("calibrate"));
  await simulator.host.stop("a");
  const before = inbox.calls.length;
  await clock.advance(60_000);
  expect(inbox.calls.length).toBe(before);
  expect([simulator.host.status("a"), simulator.carrier.isReady("a")]).toEqual([undefined, false]);
  expect(await simulator.carrier.send("a", command("read_limit"))).toBe("not_sent");
});

test("what a command sets is stored before it is answered; when it cannot be stored, nothing is answered", async () => {
  const { simulator, clock, stored, responses, failures, breakDisk } = world();
  await simulator.host.start(device("a"));
  await simulator.carrier.send("a", command("set_limit", { limit_now: 7 }));
  await clock.advance(2_000);
  expect(stored.get("a")?.written.get("limit_now")).toBe(7);
  expect(responses().at(-1)).toContain("SUCCEEDED");
  const before = responses().length;
  breakDisk();
  await simulator.carrier.send("a", command("set_limit", { limit_now: 8 }));
  await clock.advance(2_000);
  expect(responses()).toHaveLength(before);
  expect(failures).toEqual(["finish a simulated command: Error: the disk is full"]);
  expect(simulator.look("a")?.telemetry.get("limit_now")).toBe(7);
});

test("two changes at once are both made", async () => {
  const { simulator } = world();
  await simulator.host.start(device("a"));
  await Promise.all([
    simulator.adjust("a", { speed: 3 }, makeEntry()),
    simulator.adjust("a", { intervalMs: 5_000 }, makeEntry()),
  ]);
  expect(simulator.look("a")?.adjustments).toMatchObject({ speed: 3, intervalMs: 5_000 });
});

test("the configuration is reported, a command comes before it, and a secret is never reported", async () => {
  const { simulator, clock } = world(new Map([["limits", { limit_now: 2.5, pin: "s3cret" }]]));
  await simulator.host.start(device("a"));
  const reported = () => simulator.look("a")?.telemetry.get("limit_now");
  expect(reported()).toBe(2.5);
  await simulator.carrier.sendConfiguration("a", new Map([["limits", { limit_now: 3.5, pin: "s3cret" }]]), ["limits"]);
  expect(reported()).toBe(3.5);
  await simulator.carrier.send("a", command("set_limit", { limit_now: 9 }));
  await clock.advance(2_000);
  expect(reported()).toBe(9);
  expect(JSON.stringify([...(simulator.look("a")?.telemetry ?? [])])).not.toContain("s3cret");
});

test("an unknown command is an error, not silence", async () => {
  const { simulator, clock, responses } = world();
  await simulator.host.start(device("a"));
  await simulator.carrier.send("a", command("explode"));
  await clock.settle();
  expect(responses()).toEqual([expect.stringMatching(/ERROR.*does not know the command explode/)]);
});
