import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Interlock } from "#core/interlock/interlock.ts";
import { resolveInterlock, type SiteDevice } from "#core/interlock/resolve-interlock.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";
import type { Call } from "#service/ports.ts";
import { demoDevices } from "./demo-devices.ts";
import { type DemoInterlocksNeeds, giveDemoInterlocks } from "./demo-interlocks.ts";

function exampleDevice(example: string): SiteDevice {
  const manifest = new URL(`../../examples/blueprints/${example}/manifest.yml`, import.meta.url);
  const { blueprint } = parseManifest(readFileSync(manifest, "utf8"));
  if (blueprint === undefined) throw new Error(`${example} is not valid`);
  return { id: example, attributes: blueprint.telemetry, controls: resolveControls(blueprint, starterLibrary()) };
}

test("the demo site gets interlocks that fit its devices, and those that are there stay", async () => {
  const site = { seed: 1, latitude: 40, longitude: 0 };
  const devices = new Map(demoDevices(site).map(({ slug, example }) => [slug, exampleDevice(example)]));
  const stored: { readonly name: string; readonly interlock: Interlock }[] = [];
  const needs = {
    now: () => 0,
    newId: () => "id",
    interlocking: {
      ofSite: async () => stored,
      problemsOf: async (_siteId: string, interlock: Interlock) =>
        resolveInterlock(interlock, { device: (name) => devices.get(name), conversion: conversionOf }).problems,
      put: async (one: (typeof stored)[number]) => void stored.push(one),
    },
  } as unknown as DemoInterlocksNeeds;
  const call = { caller: { tokenId: "t", tokenName: "n" } } as Call;
  await giveDemoInterlocks(needs, call, "site");
  await giveDemoInterlocks(needs, call, "site");
  expect(stored.map(({ name }) => name)).toEqual(["battery-reserve", "house-connection", "stack-too-hot"]);
});
