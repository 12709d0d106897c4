import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createBackground } from "#service/background.ts";
import { writtenAt } from "#service/device/configuration-sender.ts";
import type { LiveEvent } from "#service/event/event-hub.ts";
import type { NodeMessage } from "#service/ports/nodes.ts";
import { joinNodes } from "./join-nodes.ts";

test("of two changes of a configuration that are heard together, the later one is sent; none of a gateway's device", async () => {
  let hear = (_event: LiveEvent) => {};
  const failures: unknown[] = [];
  const reasons: string[] = [];
  const background = createBackground((_name, error) => failures.push(error));
  const needs = {
    nodes: { isShared: true, listen: () => () => {} },
    events: {
      listen: (listener: typeof hear) => {
        hear = listener;
        return () => {};
      },
    },
    background,
    channel: { isReady: () => true },
    configurationSender: { once: async (reason: string) => void reasons.push(reason) },
    devices: { find: async (id: string) => ({ id, siteId: id === "copy" ? "of a gateway" : "here" }) },
    gateways: { ownerOf: async (siteId: string) => (siteId === "here" ? undefined : "gateway") },
  } as unknown as Parameters<typeof joinNodes>[0];
  joinNodes(needs);
  const change = (deviceId: string, at: number) =>
    hear({ kind: "configuration", deviceId, at: instant(at), data: "{}" } as unknown as LiveEvent);
  // The first one was made here, and was sent by the call that made it.
  change("pump", 1);
  change("pump", 2);
  change("other", 1);
  // Its gateway has the values, and sends them.
  change("copy", 1);
  await background.idle();
  expect([reasons, failures]).toEqual([[writtenAt("pump", instant(2)), writtenAt("other", instant(1))], []]);
  change("pump", 3);
  await background.idle();
  expect(reasons.at(-1)).toBe(writtenAt("pump", instant(3)));
});

test("after another node has changed a token, and after messages were missed, gateways get their tokens", () => {
  let take = (_message: NodeMessage) => {};
  const heard: string[] = [];
  const nothing = async () => {};
  const needs = {
    nodes: {
      isShared: true,
      listen: (listener: typeof take) => {
        take = listener;
        return () => {};
      },
    },
    events: { listen: () => () => {} },
    background: createBackground(() => {}),
    authenticator: { forget: () => heard.push("forget"), forgetAll: () => heard.push("forget all") },
    tokenSharing: { changed: () => heard.push("share tokens") },
    webhookDispatcher: { refresh: nothing },
    profiles: { refresh: nothing },
    liveSettings: { refresh: nothing },
    log: { warn: () => {} },
  } as unknown as Parameters<typeof joinNodes>[0];
  joinNodes(needs);
  take({ kind: "token", id: "t" });
  take({ kind: "tokens", ids: ["t", "u"] });
  take({ kind: "missed" });
  expect(heard).toEqual(["forget", "share tokens", "forget", "forget", "share tokens", "forget all", "share tokens"]);
});
