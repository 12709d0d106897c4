import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import type { Call } from "#service/ports.ts";
import { createGatewayChanges, type GatewayChangeNeeds } from "./gateway-changes.ts";

const CALL: Call = {
  caller: { tokenId: "t", tokenName: "t", level: "owner", sites: "all" },
  operation: "updateSite",
  requestId: "r",
  remoteAddress: "local",
};

test("a change that was waited for leaves nothing behind at the signal of its caller", async () => {
  const needs = {
    now: () => instant(0),
    newId: () => "c",
    seal: { seal: (text: string) => text },
    nodes: { isShared: false, broadcast: () => {} },
    pause: async () => {},
    gateways: { find: async () => ({ id: "g", isConnected: true }) },
    sites: { find: async () => undefined },
    changes: { ask: async () => {}, find: async () => ({ id: "c", state: "DONE" }) },
  } as unknown as GatewayChangeNeeds;
  const { signal } = new AbortController();
  const change = await createGatewayChanges(needs).ask(CALL, {
    operation: "updateSite",
    waits: true,
    compares: "site",
    gatewayId: "g",
    siteId: "s",
    deviceId: undefined,
    params: {},
    body: {},
    blueprintDigest: undefined,
    shown: {},
    check: async () => {},
    signal,
  });
  expect(change.state).toBe("DONE");
  expect(getEventListeners(signal, "abort")).toHaveLength(0);
});

const CLAIM = {
  operation: "claimControl",
  waits: true,
  compares: "controls",
  gatewayId: "g",
  siteId: "s",
  deviceId: "d",
  params: {},
  body: {},
  blueprintDigest: undefined,
  shown: {},
  check: async () => {},
  signal: new AbortController().signal,
} as const;

test.each([
  ["1.3", /^the gateway North runs Busbar 0.9, whose interlocks cannot be seen or changed from a cloud; update it$/],
  [undefined, /cannot be seen or changed/],
])("a gateway that speaks %s is not asked for an interlock", async (protocol, why) => {
  const gateway = { id: "g", name: "North", version: "0.9", protocol, isConnected: true };
  const needs = { gateways: { find: async () => gateway } } as unknown as GatewayChangeNeeds;
  const change = { ...CLAIM, operation: "putInterlock", compares: "interlock" } as const;
  await expect(createGatewayChanges(needs).ask(CALL, change)).rejects.toThrow(why);
});

test.each([
  ["1.2", /^the gateway North runs Busbar 0.9, whose devices cannot be controlled from a cloud; update it$/],
  ["1.0", /cannot be controlled/],
  [undefined, /cannot be controlled/],
])(
  "a gateway that speaks %s is not asked for a claim, connected or not, and the caller learns why",
  async (protocol, why) => {
    for (const isConnected of [true, false]) {
      const gateway = { id: "g", name: "North", version: "0.9", protocol, isConnected };
      const needs = { gateways: { find: async () => gateway } } as unknown as GatewayChangeNeeds;
      await expect(createGatewayChanges(needs).ask(CALL, CLAIM)).rejects.toThrow(why);
    }
  },
);

test("a claim whose lease is over when the gateway is back is not sent, and the next change is", async () => {
  let now = 1_000;
  const waiting = [
    { id: "late", operation: "claimControl", leaseUntil: instant(999), deviceId: "d", awaitedUntil: instant(0) },
    { id: "good", operation: "claimControl", leaseUntil: instant(5_000), deviceId: "d", awaitedUntil: instant(0) },
  ];
  const settled: unknown[] = [];
  const sent = Promise.withResolvers<object>();
  const needs = {
    now: () => instant(now++),
    seal: { open: () => JSON.stringify({ sent: { params: {}, asker: {} }, compares: "controls" }) },
    nodes: { isShared: false, broadcast: () => {} },
    prepareEvent: ({ change }: { change: { state: string } }) => `event ${change.state}`,
    changes: {
      next: async () => waiting[0],
      settle: async (id: string, { outcome, events }: { outcome: { state: string }; events: readonly string[] }) => {
        settled.push([id, outcome.state, ...events]);
        waiting.shift();
        return true;
      },
    },
  } as unknown as GatewayChangeNeeds;
  const line = { gatewayId: "g", copy: async () => {}, send: async (message: object) => sent.resolve(message) };
  const { lane, done } = createGatewayChanges(needs).open(line);
  expect(await sent.promise).toMatchObject({ type: "change", change: { id: "good", leaseUntil: 5_000 } });
  expect(settled).toEqual([["late", "REFUSED", "event REFUSED"]]);
  lane.close();
  await done;
});
