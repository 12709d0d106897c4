import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { deviceTabs } from "./device-tabs.ts";

const tabs = (type: string, manifest: object) =>
  deviceTabs({ type }, readManifest(manifest))
    .map(({ name }) => name)
    .join(" ");

test.each([
  ["STANDALONE", {}, "overview alerts logs"],
  ["LUA", { commands: { start: {} } }, "overview commands executions alerts logs runtime"],
  ["SIMULATED", { configuration: { a: {} } }, "overview alerts configuration logs simulation"],
])("a device of type %s has the tabs that can show something", (type, manifest, expected) => {
  expect(tabs(type, manifest)).toBe(expected);
});
