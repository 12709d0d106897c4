import { expect, test } from "vitest";
import { createUplink, type UplinkNeeds } from "./uplink.ts";

test("a gateway that cannot reach its cloud waits up to twice as long each time, at most a minute", async () => {
  const waits: number[] = [];
  const enough = Promise.withResolvers<void>();
  const needs = {
    now: () => 0,
    random: () => 1,
    log: { info: () => {}, warn: () => {} },
    seal: { open: (text: string) => text },
    uplinks: { get: async () => ({ url: "https://cloud.example", credential: "c" }), latest: async () => 0 },
    telemetryLane: { spool: { waiting: { messages: 0, hours: 0 }, oldest: () => undefined }, history: () => undefined },
    onTurn: () => {},
    openLinkSocket: () => Promise.reject(new Error("no route to the cloud")),
    pause: async (ms: number, signal: AbortSignal) => {
      waits.push(ms);
      if (waits.length < 8) return;
      enough.resolve();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  } as unknown as UplinkNeeds;
  const uplink = createUplink(needs);
  await uplink.restart();
  await enough.promise;
  expect(await uplink.status()).toMatchObject({ isConnected: false, lastError: "no route to the cloud" });
  await uplink.stop();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
});
