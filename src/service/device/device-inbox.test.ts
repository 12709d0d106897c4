// Sign-in, logs and what is logged of bad messages. Properties and responses over MQTT are in test/api/commands.
import { expect, test, vi } from "vitest";
import { instant } from "#core/time/instant.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { hashFingerprint, hashPassword } from "#service/access/hash-secret.ts";
import type { RefusedCall } from "#service/access/refusal-log.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import type { DeviceLogEntry, DeviceLogStore } from "#service/ports/device-log-store.ts";
import { SimClock } from "../../../test/simulation/sim-clock.ts";
import { commandManifest } from "../../../test/support/command-site.ts";
import { PATIENT } from "../../../test/support/patient.ts";
import { makeCredential, makeDevice, NOON } from "../../../test/support/records.ts";
import { createDeviceInbox, type InboxNeeds } from "./device-inbox.ts";
import { createDeviceLog } from "./device-log.ts";

const { blueprint } = parseManifest(commandManifest("Inbox"));
const SECRET = "a secret";

function setUp() {
  const clock = new SimClock(NOON);
  const device = { ...makeDevice("site", { id: "device", blueprintId: "b" }), slug: "d" };
  const credentials = [
    makeCredential("device", { hardwareId: "HW", secretHash: hashPassword(SECRET) }),
    makeCredential("device", { hardwareId: "CERT", secretHash: hashFingerprint("AB:CD") }),
  ];
  const log: DeviceLogEntry[] = [];
  const heard: string[] = [];
  const properties = new Map<string, unknown>();
  const refused: string[] = [];
  const events = createEventHub();
  events.listen((event) => "entry" in event && heard.push(`event ${event.entry.message}`));
  const inbox = createDeviceInbox({
    now: () => clock.now(),
    clock: { latest: () => clock.now() },
    deviceLog: createDeviceLog({
      now: () => clock.now(),
      elapsed: () => clock.elapsed,
      events,
      deviceLogs: {
        append: async (_id: string, entries: readonly DeviceLogEntry[]) => {
          log.push(...entries);
          return entries;
        },
      } as unknown as DeviceLogStore,
    }),
    devices: {
      find: async (id: string) => (id === "device" ? device : undefined),
      findCredentialByHardwareId: async (id: string) => credentials.find((one) => one.hardwareId === id),
      putProperties: async (_id: string, values: readonly { name: string; value: unknown }[]) => {
        for (const { name, value } of values) properties.set(name, value);
      },
    },
    catalog: { get: async () => ({ blueprint }) },
    connectivity: { alive: () => heard.push("alive"), gone: () => heard.push("gone") },
    telemetryCounter: { add: () => {} },
    elapsed: () => clock.elapsed,
    newId: () => "id",
    background: { run: (_name: string, task: () => Promise<void>) => void task() },
    refusals: { note: ({ target, message }: RefusedCall) => refused.push(`${target.deviceId} ${message}`) > 0 },
    children: { known: () => [] },
    dispatcher: { deviceReachable: (id: string) => heard.push(`reachable ${id}`) },
  } as unknown as InboxNeeds);
  return { clock, inbox, log, heard, properties, refused };
}

test.each([
  ["HW", SECRET, true],
  ["HW", "", false],
  ["HW", `${SECRET} `, false],
  ["hw", SECRET, false],
  ["unknown", SECRET, false],
  ["constructor", SECRET, false],
  // The fingerprint of a certificate is no secret.
  ["CERT", "AB:CD", false],
])("the name %s with the secret %j signs in: %s", async (name, secret, isRight) => {
  const { inbox } = setUp();
  expect((await inbox.signIn(name, secret, "10.0.0.5")) !== undefined).toBe(isRight);
});

test("a certificate signs in its own device, and a secret is no certificate", async () => {
  const { inbox } = setUp();
  expect(await inbox.signInByCertificate("CERT", "AB:CD", "10.0.0.5")).toMatchObject({
    deviceId: "device",
    hardwareId: "CERT",
    channelId: "main",
  });
  expect(await inbox.signInByCertificate("CERT", "AB:CE", "10.0.0.5")).toBeUndefined();
  expect(await inbox.signInByCertificate("HW", SECRET, "10.0.0.5")).toBeUndefined();
});

test("a device that can be reached is alive and gets what waits for it", () => {
  const { inbox, heard } = setUp();
  inbox.reachable("device");
  inbox.unreachable("device");
  inbox.alive("device");
  expect(heard).toEqual(["alive", "reachable device", "gone", "alive"]);
});

test("a log line is stored and published, its time cut to milliseconds, its text to 4,096 characters", async () => {
  const { inbox, log, heard } = setUp();
  const line = { severity: "error", persist: true } as const;
  await inbox.log("device", { ...line, takenAt: instant(NOON + 0.75), text: "dry" });
  await inbox.log("device", { ...line, takenAt: undefined, text: "x".repeat(5_000) });
  expect(log.map(({ takenAt, message }) => [takenAt - NOON, message.length])).toEqual([
    [0, 3],
    [0, 4_096],
  ]);
  expect(log[0]).toMatchObject({ severity: "error", persist: true, receivedAt: NOON * 1000 });
  expect(heard[0]).toBe("event dry");
});

test("what an unknown device says is nothing, and no error", async () => {
  const { inbox, log, properties } = setUp();
  await inbox.log("gone", { takenAt: undefined, severity: "info", text: "x", persist: false });
  await inbox.properties("gone", { takenAt: undefined, values: new Map([["firmware", "1"]]) });
  await inbox.malformed("gone", "nonsense");
  expect([log, properties.size]).toEqual([[], 0]);
});

test("at most ten complaints a minute are written, the tenth says so, and the next minute begins anew", async () => {
  const { clock, inbox, log } = setUp();
  for (let n = 0; n < 25; n++) await inbox.malformed("device", `nonsense ${n}`);
  expect(log).toHaveLength(10);
  expect(log.map(({ message }) => message.includes("left out for a minute"))).toEqual([
    ...Array.from({ length: 9 }, () => false),
    true,
  ]);
  await clock.runUntil(60_000);
  await inbox.malformed("device", "again");
  expect(log.at(-1)).toMatchObject({ message: "message refused: again", severity: "warning", persist: false });
});

test("properties that do not fit are complained of by name, the others kept", async () => {
  const { inbox, log, properties } = setUp();
  const values = new Map<string, unknown>([
    ["fw", "1.0"],
    ["rating", Number.NaN],
    ["unknown", 1],
  ]);
  await inbox.properties("device", { takenAt: undefined, values });
  expect([...properties]).toEqual([["firmware", "1.0"]]);
  expect(log.map(({ message }) => message)).toEqual([
    'property "rating" must be a number, not NaN',
    'property "unknown" is not declared in the blueprint',
  ]);
});

test.each([
  [24 * 3_600_000, 1],
  [24 * 3_600_000 + 1, 0],
])("properties of a clock %s ms ahead are kept: %s", async (ahead, kept) => {
  const { inbox, properties } = setUp();
  await inbox.properties("device", { takenAt: instant(NOON + ahead), values: new Map([["firmware", "1"]]) });
  expect(properties.size).toBe(kept);
});

test("a wrong secret is in the device's log once a minute, however often it comes, and each time in the audit log", async () => {
  const { clock, inbox, log, refused } = setUp();
  const tries = async (count: number) => {
    for (let one = 0; one < count; one += 1) expect(await inbox.signIn("HW", "wrong", "10.0.0.5")).toBeUndefined();
  };
  await tries(1);
  await vi.waitFor(() => expect(log).toHaveLength(1), PATIENT);
  await tries(99);
  expect(log.map(({ message }) => message)).toEqual(["sign-in over MQTT refused: wrong secret, from 10.0.0.5"]);
  await clock.runUntil(clock.elapsed + 60_000);
  await tries(1);
  await vi.waitFor(() => expect(log).toHaveLength(2), PATIENT);
  expect(log[1]?.message).toContain("; 99 more since the entry before");
  expect(refused).toHaveLength(101);
  expect(new Set(refused)).toEqual(new Set(["device a sign-in over MQTT was refused: wrong secret"]));
});

test("a wrong name is in the audit log and in no device's log", async () => {
  const { inbox, log, refused } = setUp();
  expect(await inbox.signIn("nobody", SECRET, "10.0.0.5")).toBeUndefined();
  expect(refused).toEqual(["undefined a sign-in over MQTT was refused: no device has this name"]);
  expect(log).toEqual([]);
});
