// What the store and the device see of a configuration. The calls and their refusals are in test/api/commands.
import { expect, test } from "vitest";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { createSeal } from "#service/access/seal.ts";
import { createPrepareEvent } from "#service/event/happening.ts";
import type { DeviceConfiguration } from "#service/ports/carrier.ts";
import type { ConfigurationChange, StoredBucket } from "#service/ports/configuration-store.ts";
import { callBy } from "../../../test/support/calls.ts";
import { commandManifest } from "../../../test/support/command-site.ts";
import { makeDevice, NOON, newId } from "../../../test/support/records.ts";
import {
  type ConfigurationNeeds,
  deviceConfiguration,
  readConfiguration,
  writeConfiguration,
} from "./configuration.ts";

const CALL = callBy("system");
const ID = newId();

function setUp() {
  let manifest = commandManifest("Configured");
  const stored = new Map<string, StoredBucket>();
  const sent: DeviceConfiguration[] = [];
  const events: string[] = [];
  const troubles: unknown[] = [];
  const device = { ...makeDevice("site", { id: ID, blueprintId: "b" }), slug: "d" };
  const needs = {
    devices: { find: async () => device, findIn: async () => device },
    configurations: {
      get: async () => [...stored.values()],
      put: async (change: ConfigurationChange) => {
        for (const bucket of change.buckets) stored.set(bucket.bucket, bucket);
        events.push(...change.events.map(({ readLevel, data }) => `${readLevel} ${data}`));
      },
    },
    seal: createSeal(new Uint8Array(32)),
    now: () => NOON,
    newId,
    troubles: { report: (trouble: unknown) => void troubles.push(trouble) },
    configurationSender: { once: (_reason: string, send: () => Promise<void>) => send() },
    prepareEvent: createPrepareEvent((event) => ({ bucket: event.kind === "configuration" ? event.bucket : "" })),
    catalog: { get: async () => ({ blueprint: parseManifest(manifest).blueprint }) },
    channel: {
      isReady: () => true,
      sendConfiguration: async (_id: string, configuration: DeviceConfiguration) => void sent.push(configuration),
    },
  } as unknown as ConfigurationNeeds;
  return {
    stored,
    sent,
    events,
    troubles,
    changeManifest: (change: (text: string) => string) => {
      manifest = change(manifest);
    },
    write: (bucket: string, values: Readonly<Record<string, unknown>>) =>
      writeConfiguration(needs, CALL, { device: ID, buckets: new Map([[bucket, values]]), isOneBucket: true }),
    read: async (bucket: string) => (await readConfiguration(needs, CALL, { device: ID, bucket })).get(bucket),
    device: () => deviceConfiguration(needs, ID),
  };
}

test("the store sees sensitive values sealed only, the device in the clear, listeners the name of the bucket", async () => {
  const { stored, sent, events, write } = setUp();
  await write("network", { host: "a", password: "s3cret" });
  expect(events).toEqual(['user {"bucket":"network"}']);
  const bucket = stored.get("network");
  expect(bucket?.shown).toMatchObject({ host: "a", password: "***" });
  expect(Buffer.from(bucket?.sealed ?? []).includes("s3cret")).toBe(false);
  expect(sent[0]?.get("network")).toMatchObject({ host: "a", password: "s3cret", port: 502 });
});

test("a sealed bucket opens only in its own place", async () => {
  const { stored, troubles, write, device } = setUp();
  await write("network", { host: "a" });
  const bucket = stored.get("network");
  if (bucket !== undefined) stored.set("network", { ...bucket, bucket: "factory" });
  expect((await device()).has("factory")).toBe(false);
  expect(troubles).toMatchObject([{ part: "configuration" }]);
});

test("a copy of a bucket, whose values only its gateway has, is neither sent nor a trouble", async () => {
  const { stored, troubles, read, device } = setUp();
  stored.set("network", { bucket: "network", shown: { host: "a" }, sealed: new Uint8Array(), updatedAt: NOON });
  expect((await device()).has("network")).toBe(false);
  expect(await read("network")).toMatchObject({ host: "a" });
  expect(troubles).toEqual([]);
});

test("sensitive values are kept when they are left out or sent hidden, also under names that a prototype knows", async () => {
  const { write, device } = setUp();
  await write("network", { host: "a" });
  expect((await device()).get("network")).not.toHaveProperty("constructor");
  await write("network", { host: "a", constructor: "trap", password: "one" });
  await write("network", { host: "b", constructor: "***" });
  expect((await device()).get("network")).toMatchObject({ host: "b", constructor: "trap", password: "one" });
  await write("network", { host: "b", password: null });
  expect((await device()).get("network")).not.toHaveProperty("password");
});

test("a default that the blueprint changes counts for what was never filled in", async () => {
  const { write, read, changeManifest } = setUp();
  expect(await read("network")).toMatchObject({ port: 502 });
  changeManifest((text) => text.replace("default: 502", "default: 503"));
  expect(await read("network")).toMatchObject({ port: 503 });
  await write("network", { host: "a" });
  changeManifest((text) => text.replace("default: 503", "default: 504"));
  // With the write the default of that time was filled in.
  expect(await read("network")).toMatchObject({ port: 503 });
});

test("what the blueprint no longer declares is neither shown nor sent", async () => {
  const { write, read, device, changeManifest } = setUp();
  await write("factory", { trim: 0.5, labels: ["x"] });
  changeManifest((text) => text.replace(/ {6}labels: .*\n/, ""));
  expect(await read("factory")).toEqual({ trim: 0.5 });
  expect((await device()).get("factory")).toEqual({ trim: 0.5 });
});
