import { expect, test, vi } from "vitest";
import type { UpMessage } from "#core/link/messages.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";
import { PATIENT } from "../../../test/support/patient.ts";
import { createTelemetryLane } from "./telemetry-lane.ts";
import { type UploadTelemetryNeeds, uploadTelemetry } from "./upload-telemetry.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = instant(100 * DAY + 5 * HOUR);

/** A gateway with one hour to upload, which `pack` gives in pieces. */
async function open(pack: () => Promise<readonly Uint8Array[]>) {
  const uplinks = {
    get: async () => ({}),
    hours: async () => [{ deviceId: "d", hour: 1 }],
    unmarkHours: async () => {},
  };
  const telemetry = { pack } as unknown as TelemetryStore;
  const base = { uplinks: uplinks as unknown as Needs["uplinks"], telemetry, now: () => instant(0) };
  const telemetryLane = createTelemetryLane({ ...base, budgets: createByteBudgets() });
  await telemetryLane.restart();
  /** Until `send` fails, or nothing is left to do. */
  const connect = async (send: (message: UpMessage) => Promise<void>) => {
    const end = new AbortController();
    const pause = async () => end.abort();
    const upload = uploadTelemetry(
      { ...base, telemetryLane, pause, log: { warn: () => {} }, devices: {} as Needs["devices"] },
      { send, signal: end.signal },
    );
    await upload.run(true).catch(() => {});
    end.abort();
    upload.end();
  };
  return { telemetryLane, connect };
}

test("an hour whose first pieces were sent before the line was cut is uploaded over the next connection", async () => {
  const { connect } = await open(async () => [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
  let left = 1;
  await connect(async () => {
    if (left-- === 0) throw new Error("the connection has ended");
  });
  const sent: string[] = [];
  await connect(async ({ type }) => void sent.push(type));
  expect(sent).toEqual(["history", "history", "history"]);
});

test("an hour that could not be read for a moment is uploaded over the next connection", async () => {
  let isThere = false;
  const { connect } = await open(async () => {
    if (!isThere) throw new Error("the thread has ended");
    return [Uint8Array.of(1)];
  });
  await connect(async () => {});
  isThere = true;
  const sent: string[] = [];
  await connect(async ({ type }) => void sent.push(type));
  expect(sent).toEqual(["history"]);
});

test("history that has to be uploaded again is uploaded, also when the former round ends at that moment", async () => {
  const asked: number[] = [];
  const slowly = async () => {
    for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate);
  };
  const uplinks = { get: async () => ({ historyBefore: 1 }), hours: async () => [], noteHistory: slowly };
  const newestBefore = async (_: string, before: number) => void asked.push(before);
  const base = {
    uplinks: uplinks as unknown as Needs["uplinks"],
    telemetry: { newestBefore } as unknown as TelemetryStore,
    now: () => instant(0),
  };
  const telemetryLane = createTelemetryLane({ ...base, budgets: createByteBudgets() });
  await telemetryLane.restart();
  const end = new AbortController();
  const devices = { list: async () => ({ items: [{ id: "d" }], total: 1 }) } as unknown as Needs["devices"];
  const pause = async () => end.abort();
  const upload = uploadTelemetry(
    { ...base, telemetryLane, pause, log: { warn: () => {} }, devices },
    { send: async () => {}, signal: end.signal },
  );
  await Promise.all([telemetryLane.uploadAgain(), upload.run(true)]);
  expect(asked.some((before) => before > 1)).toBe(true);
});

test("hours that were stored while the history is sent go with it, and each day goes once", async () => {
  /** The times of all points of one device; their bytes are their times. */
  const times = [97 * DAY + 1, 98 * DAY + 1, 98 * DAY + 7 * HOUR, 99 * DAY + 3 * HOUR, 100 * DAY + HOUR];
  const marked = times.map((at) => ({ deviceId: "d", hour: Math.floor(at / HOUR), hasExpired: false }));
  const nothing = async () => {};
  const telemetry = {
    newestBefore: async (_: string, before: number) => times.findLast((at) => at < before),
    // As the store does: a day that is over is in one piece.
    pack: async (_: string, from: number, to: number) => {
      const days = new Set(times.filter((at) => at >= from && at < to).map((at) => Math.floor(at / DAY)));
      return [...days].map((day) => new Uint8Array([day]));
    },
  } as unknown as TelemetryStore;
  const uplinks = {
    get: async () => ({ historyBefore: instant(103 * DAY) }),
    hours: async () => marked,
    markHours: nothing,
    unmarkHours: nothing,
    noteHistory: nothing,
  } as unknown as Needs["uplinks"];
  const lane = createTelemetryLane({ uplinks, telemetry, now: () => NOW, budgets: createByteBudgets() });
  await lane.restart();
  const needs = {
    telemetry,
    telemetryLane: lane,
    now: () => NOW,
    devices: { list: async () => ({ items: [{ id: "d" }], total: 1 }) },
    pause: (_: number, signal: AbortSignal) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
    log: { warn: () => {} },
  } as unknown as UploadTelemetryNeeds;
  const days: number[] = [];
  const end = new AbortController();
  const upload = uploadTelemetry(needs, {
    signal: end.signal,
    send: async (message: UpMessage) => {
      if (message.type !== "history") return;
      days.push(message.content[0] ?? 0);
      upload.stored(message.number, []);
    },
  });
  const running = upload.run(true);
  await vi.waitFor(() => expect([lane.history(), lane.spool.waiting.hours]).toEqual([undefined, 0]), PATIENT);
  end.abort();
  upload.end();
  await running;
  expect(days).toEqual([100, 99, 98, 97]);
});
