import { expect, test } from "vitest";
import type { Micros } from "#core/command/execution.ts";
import { LOG_SEVERITIES } from "#core/device/device-message.ts";
import { instant } from "#core/time/instant.ts";
import type { DeviceLogEntry, DeviceLogStore, LogFilter } from "#service/ports/device-log-store.ts";
import { NOON, UNUSUAL } from "../support/records.ts";
import { ALL } from "./stores.ts";

/** An empty store, and ids of devices to log for. */
export interface LogWorld {
  readonly logs: DeviceLogStore;
  readonly deviceId: string;
  readonly otherId: string;
}

function entry(message: string, after: number, fields: Partial<DeviceLogEntry> = {}): DeviceLogEntry {
  const receivedAt = ((NOON + after) * 1000) as Micros;
  return { receivedAt, takenAt: instant(NOON + after), severity: "info", message, persist: false, ...fields };
}

const MANY = 1e9;

export function deviceLogStoreContract(open: () => Promise<LogWorld>): void {
  const setUp = async () => {
    const world = await open();
    const { logs, deviceId } = world;
    return {
      ...world,
      messages: async (filter: Partial<LogFilter> = {}, page = ALL) =>
        (await logs.list(deviceId, { newestFirst: false, ...filter }, page)).items.map(({ message }) => message),
    };
  };

  test("an entry is read as it was written, only under its own device", async () => {
    const { logs, deviceId, otherId } = await setUp();
    const given = [...UNUSUAL, "", "x".repeat(4_096)].map((text, index) =>
      entry(text, index, { severity: "error", persist: true, takenAt: instant(0) }),
    );
    expect(await logs.append(deviceId, given, MANY)).toEqual(given);
    expect(await logs.list(deviceId, { newestFirst: false }, ALL)).toEqual({ items: given, total: given.length });
    expect(await logs.list(otherId, { newestFirst: false }, ALL)).toEqual({ items: [], total: 0 });
  });

  test("times rise within a device, also when the clock stands or goes back, and each device has its own", async () => {
    const { logs, deviceId, otherId } = await setUp();
    const first = await logs.append(deviceId, [entry("a", 5), entry("b", 5)], MANY);
    const second = await logs.append(deviceId, [entry("c", 3), entry("d", 9)], MANY);
    const start = (NOON + 5) * 1000;
    expect([...first, ...second].map(({ receivedAt }) => receivedAt)).toEqual([
      start,
      start + 1,
      start + 2,
      start + 4_000,
    ]);
    expect((await logs.append(otherId, [entry("e", 3)], MANY))[0]?.receivedAt).toBe((NOON + 3) * 1000);
    expect(await logs.append(deviceId, [], MANY)).toEqual([]);
  });

  test("the oldest entries make room for new ones, those that persist and the others apart", async () => {
    const { logs, deviceId, otherId, messages } = await setUp();
    const text = (n: number) => `${n} ${"ä".repeat(100)}`;
    await logs.append(deviceId, [entry("kept", 0, { persist: true })], 1_000);
    for (let n = 1; n <= 9; n++) await logs.append(deviceId, [entry(text(n), n)], 1_000);
    expect((await messages()).map((message) => message.split(" ")[0])).toEqual(["kept", "7", "8", "9"]);
    await logs.append(otherId, [entry(text(1), 1)], 1_000);
    // What was pruned by age is not counted any more.
    await logs.prune({ persistedBefore: instant(NOON), temporaryBefore: instant(NOON + 9) });
    for (let n = 10; n <= 11; n++) await logs.append(deviceId, [entry(text(n), n)], 1_000);
    expect((await messages()).map((message) => message.split(" ")[0])).toEqual(["kept", "9", "10", "11"]);
  });

  test("a list knows severities, persistence, bounds, order and pages", async () => {
    const { logs, deviceId, messages } = await setUp();
    const given = LOG_SEVERITIES.map((severity, index) =>
      entry(severity, index, { severity, persist: index % 2 === 1 }),
    );
    await logs.append(deviceId, given, MANY);
    const at = (after: number) => instant(NOON + after);
    expect(await messages()).toEqual(["debug", "info", "warning", "error"]);
    expect(await messages({ newestFirst: true })).toEqual(["error", "warning", "info", "debug"]);
    expect(await messages({ severities: ["error", "debug"] })).toEqual(["debug", "error"]);
    expect(await messages({ severities: [] })).toEqual([]);
    expect(await messages({ persisted: true })).toEqual(["info", "error"]);
    expect(await messages({ persisted: false })).toEqual(["debug", "warning"]);
    expect(await messages({ since: at(1), before: at(3) })).toEqual(["info", "warning"]);
    expect(await messages({}, { limit: 2, offset: 1 })).toEqual(["info", "warning"]);
    expect(await logs.list(deviceId, { newestFirst: false, persisted: true }, { limit: 1, offset: 5 })).toEqual({
      items: [],
      total: 2,
    });
  });

  test("old entries are pruned, those marked to persist later than the others", async () => {
    const { logs, deviceId, messages } = await setUp();
    await logs.append(
      deviceId,
      [
        entry("old", 0, { persist: true }),
        entry("temporary", 10),
        entry("persisted", 10, { persist: true }),
        entry("young", 20),
      ],
      MANY,
    );
    const limits = { persistedBefore: instant(NOON + 5), temporaryBefore: instant(NOON + 15) };
    expect(await logs.prune(limits)).toBe(2);
    expect(await messages()).toEqual(["persisted", "young"]);
    expect(await logs.prune(limits)).toBe(0);
    // Persisted ones may also be kept for a shorter time than the others.
    expect(await logs.prune({ persistedBefore: instant(NOON + 15), temporaryBefore: instant(NOON) })).toBe(1);
    expect(await messages()).toEqual(["young"]);
  });
}
