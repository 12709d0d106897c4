import { expect, test } from "vitest";
import { HOUR_MS } from "#core/time/hour.ts";
import { createEventHub } from "#service/event/event-hub.ts";
import type { DeviceLogEntry, DeviceLogStore } from "#service/ports/device-log-store.ts";
import { NOON } from "../../../test/support/records.ts";
import { createDeviceLog } from "./device-log.ts";

const DEVICE = { id: "d1", siteId: "s1" };

function setUp() {
  const stored: DeviceLogEntry[] = [];
  const time = { elapsed: 0 };
  const events = createEventHub();
  let published = 0;
  events.listen(() => void published++);
  const log = createDeviceLog({
    events,
    now: () => NOON,
    elapsed: () => time.elapsed,
    deviceLogs: {
      append: async (_id: string, entries: readonly DeviceLogEntry[]) => {
        stored.push(...entries);
        return entries;
      },
    } as unknown as DeviceLogStore,
  });
  const write = (device = DEVICE) =>
    log.write(device, { severity: "debug", text: "x".repeat(9_999), persist: false, at: NOON });
  return { log, write, stored, time, published: () => published };
}

const isNote = ({ message }: DeviceLogEntry) => message.includes("left out");

test("a flood is left out beyond the share of an hour, and the log says how many messages that were", async () => {
  const { log, write, stored, published } = setUp();
  for (let n = 0; n < 3_000; n++) await write();
  expect(stored).toHaveLength(1_008);
  expect(published()).toBe(1_008);
  await log.reportLeftOut();
  await log.reportLeftOut();
  const [note, ...more] = stored.filter(isNote);
  expect(note?.message).toBe("1992 messages are left out: the log of a device takes 4194304 bytes an hour");
  expect(more).toEqual([]);
});

test("the share comes back with time, and another device has its own", async () => {
  const { log, write, stored, time } = setUp();
  for (let n = 0; n < 2_000; n++) await write();
  const before = stored.length;
  await write({ id: "d2", siteId: "s1" });
  expect(stored).toHaveLength(before + 1);
  time.elapsed += HOUR_MS / 2;
  for (let n = 0; n < 2_000; n++) await write();
  expect(stored).toHaveLength(before + 1 + 504);
  await log.reportLeftOut();
  expect(stored.filter(isNote).map(({ message }) => message.split(" ")[0])).toEqual([String(992 + 2_000 - 504)]);
});

test("a note that could not be stored is reported the next time", async () => {
  const { log, write, stored } = setUp();
  for (let n = 0; n < 1_010; n++) await write();
  const push = stored.push;
  stored.push = () => {
    throw new Error("the disk is full");
  };
  await expect(log.reportLeftOut()).rejects.toThrow("the disk is full");
  stored.push = push;
  await log.reportLeftOut();
  expect(stored.at(-1)?.message).toMatch(/^2 messages are left out/);
});
