import { expect, test } from "vitest";
import type { SiteScope } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { instant } from "#core/time/instant.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";
import { callBy } from "../../../test/support/calls.ts";
import { createTelemetryBuffer } from "./telemetry-buffer.ts";

const EVERYTHING = { "kind.in": undefined, "site_id.in": undefined, "device_id.in": undefined };

interface Listener {
  readonly level?: AccessLevel;
  readonly sites?: SiteScope;
  readonly chosen?: Partial<Record<keyof typeof EVERYTHING, readonly string[]>>;
  readonly max?: number;
}

/** `s1/d1@5 power=1 key:vendor=2` is news of device d1 on site s1 at 5; what waits then is told the same way, device by device. */
function told(news: string, { level = "readonly", sites = "all", chosen = {}, max }: Listener = {}): string {
  const buffer = createTelemetryBuffer(callBy(level, sites), { ...EVERYTHING, ...chosen }, max);
  for (const text of news.split(";")) {
    const [, siteId = "", deviceId = "", at, values = ""] = /^ *(\w+)\/(\w+)@(\d+) (.*)$/.exec(text) ?? [];
    const parsed = values.split(" ").map((one): [Attribute, string] => {
      const [, id = "", accessLevel = "readonly", value = ""] = /^(\w+)(?::(\w+))?=(\w+)$/.exec(one) ?? [];
      return [{ id, accessLevel: accessLevel as AccessLevel, type: "string", enum: undefined }, value];
    });
    buffer.add({ siteId, deviceId, at: instant(Number(at)), values: new Map(parsed) });
  }
  const taken: string[] = [];
  for (let one = buffer.take(); one !== undefined; one = buffer.take()) {
    const values = [...one.values].map(([id, snapshot]) => `${id}=${snapshot.value}@${snapshot.at}`);
    taken.push(`${one.siteId}/${one.deviceId} ${values.join(" ")}`);
  }
  expect(buffer.isEmpty).toBe(true);
  return taken.join("; ");
}

test.each<[string, string, Listener, string]>([
  ["all values of a device are one event", "s/d@1 a=1 b=2", {}, "s/d a=1@1 b=2@1"],
  ["the newest value replaces the one before", "s/d@1 a=1; s/d@2 a=2", {}, "s/d a=2@2"],
  ["an attribute that is not in it stays", "s/d@1 a=1; s/d@2 b=2", {}, "s/d a=1@1 b=2@2"],
  ["an older value replaces nothing", "s/d@2 a=2; s/d@1 a=1", {}, "s/d a=2@2"],
  ["of the same time the later one counts", "s/d@2 a=2; s/d@2 a=3", {}, "s/d a=3@2"],
  ["devices in the order of their first news", "s/d@1 a=1; s/e@1 a=1; s/d@2 a=2", {}, "s/d a=2@2; s/e a=1@1"],
  ["attributes above the level are left out", "s/d@1 a=1 b:owner=2", { level: "user" }, "s/d a=1@1"],
  ["and told from the level on", "s/d@1 a=1 b:owner=2", { level: "owner" }, "s/d a=1@1 b=2@1"],
  ["nothing to tell is no event", "s/d@1 b:owner=2", { level: "user" }, ""],
  ["other sites are left out", "s/d@1 a=1; t/e@1 a=1", { sites: new Set(["t"]) }, "t/e a=1@1"],
  ["sites can be chosen", "s/d@1 a=1; t/e@1 a=1", { chosen: { "site_id.in": ["s"] } }, "s/d a=1@1"],
  ["devices can be chosen", "s/d@1 a=1; s/e@1 a=1", { chosen: { "device_id.in": ["e"] } }, "s/e a=1@1"],
  ["kinds can be chosen", "s/d@1 a=1", { chosen: { "kind.in": ["log"] } }, ""],
  [
    "beyond the limit the longest waiting goes",
    "s/d@1 a=1 b=1; s/e@1 a=1; s/f@1 a=1",
    { max: 3 },
    "s/e a=1@1; s/f a=1@1",
  ],
  ["repetition does not count twice", "s/d@1 a=1; s/d@2 a=1; s/d@3 a=1; s/e@1 a=1", { max: 2 }, "s/d a=1@3; s/e a=1@1"],
])("%s", (_title, news, listener, expected) => {
  expect(told(news, listener)).toBe(expected);
});
