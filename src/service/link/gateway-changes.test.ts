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
    isControl: false,
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
