import { expect, test } from "vitest";
import type { Device } from "#core/device/device.ts";
import type { Call } from "#service/ports.ts";
import { type NowNeeds, readNow } from "./read-now.ts";

const HIDDEN = "0198c0de-0000-7000-8000-000000000000";

const needs = {
  devices: {
    findIn: async () => undefined,
    findBySlug: async (slug: string) => (slug === "twice" ? [{ id: "a" }, { id: "b" }] : []) as unknown as Device[],
  },
} as unknown as NowNeeds;

test.each([
  ["for some sites", ["s"], HIDDEN, [HIDDEN]],
  ["for some sites", ["s"], "hidden", ["hidden"]],
  ["for some sites", ["s"], "twice", []],
  ["for all sites", "all", HIDDEN, []],
  ["for all sites", "all", "twice", []],
])("a call with a token %s (%j) about %s is kept from %j", async (_, sites, device, expected) => {
  const call = { caller: { sites } } as unknown as Call;
  const { errors, refused } = await readNow(needs, call, new Map([[device, ["power"]]]));
  expect(errors).toMatchObject([{ code: "device_not_found", details: { device, attribute: "power" } }]);
  expect(refused.map(({ target }) => target.deviceId)).toEqual(expected);
});
