import { expect, test } from "vitest";
import type { UpMessage } from "#core/link/messages.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { instant } from "#core/time/instant.ts";
import type { TelemetryStore } from "#service/ports/telemetry-store.ts";
import type { Needs } from "#service/ports.ts";
import { createTelemetryLane } from "./telemetry-lane.ts";
import { tellTelemetry } from "./tell-telemetry.ts";

/** A gateway with one hour to tell, which `pack` gives in pieces. */
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
    const telling = tellTelemetry(
      { ...base, telemetryLane, pause, log: { warn: () => {} }, devices: {} as Needs["devices"] },
      { send, signal: end.signal },
    );
    await telling.run(true).catch(() => {});
    end.abort();
    telling.end();
  };
  return { telemetryLane, connect };
}

test("an hour whose first pieces were sent before the line was cut is told over the next connection", async () => {
  const { connect } = await open(async () => [Uint8Array.of(1), Uint8Array.of(2), Uint8Array.of(3)]);
  let left = 1;
  await connect(async () => {
    if (left-- === 0) throw new Error("the connection has ended");
  });
  const sent: string[] = [];
  await connect(async ({ type }) => void sent.push(type));
  expect(sent).toEqual(["history", "history", "history"]);
});

test("an hour that could not be read for a moment is told over the next connection", async () => {
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

test("history that has to be told anew is told, also when the former round ends at that moment", async () => {
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
  const telling = tellTelemetry(
    { ...base, telemetryLane, pause, log: { warn: () => {} }, devices },
    { send: async () => {}, signal: end.signal },
  );
  await Promise.all([telemetryLane.retell(), telling.run(true)]);
  expect(asked.some((before) => before > 1)).toBe(true);
});
