// The example of docs/interlocks.md, by the devices of the example blueprints.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { parseInterlock } from "#core/interlock/parse-interlock.ts";
import { resolveInterlock, type SiteDevice } from "#core/interlock/resolve-interlock.ts";
import { resolveControls } from "#manifest/control/resolve-controls.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { starterLibrary } from "#manifest/starter-profiles.ts";
import { conversionOf } from "#manifest/unit-conversion.ts";

const RELAY = `blueprint_spec: device/3.0
display_name: Relay
runtime: {type: embedded}
implements: [device.relay]
telemetry:
  relay_closed: {type: boolean, display_name: Closed}
command_groups: {main: {display_name: Main}}
commands:
  set_relay:
    group: main
    display_name: Set
    arguments:
      closed: {type: boolean, required: true, display_name: Closed}
`;
const root = join(import.meta.dirname, "../..");

function exampleDevice(folder: string): SiteDevice {
  return deviceOf(folder, readFileSync(join(root, `examples/blueprints/${folder}/manifest.yml`), "utf8"));
}

function deviceOf(id: string, manifest: string): SiteDevice {
  const { blueprint } = parseManifest(manifest);
  if (blueprint === undefined) throw new Error(`${id} is not valid`);
  return { id, attributes: blueprint.telemetry, controls: resolveControls(blueprint, starterLibrary()) };
}

const sensor = (id: string, attribute: string, type: string, unit?: string): SiteDevice => ({
  id,
  attributes: new Map([[attribute, { type, unit, accessLevel: "readonly" }]]),
  controls: new Map(),
});

test("the example of the documentation is valid at a site of example devices", () => {
  const [, text = ""] =
    /```yaml\n(interlocks:[\s\S]*?)```/.exec(readFileSync(join(root, "docs/interlocks.md"), "utf8")) ?? [];
  const { interlocks } = parse(text) as { interlocks: Record<string, unknown> };
  const devices = new Map([
    ["grid-meter", exampleDevice("grid-meter")],
    ["wallbox", exampleDevice("ev-charger")],
    ["second-wallbox", exampleDevice("ev-charger")],
    ["battery", exampleDevice("battery")],
    ["electrolyser", exampleDevice("electrolyser")],
    ["enable-relay", deviceOf("enable-relay", RELAY)],
    ["room", sensor("room", "temperature", "float", "Cel")],
    ["contacts", sensor("contacts", "dimming", "boolean")],
  ]);
  const site = { device: (name: string) => devices.get(name), conversion: conversionOf };
  const found = Object.entries(interlocks).map(([name, document]) => {
    const { interlock, problems } = parseInterlock(document);
    return [name, interlock === undefined ? problems : resolveInterlock(interlock, site).problems];
  });
  expect(found).toEqual([
    ["house-connection", []],
    ["cables", []],
    ["too-hot", []],
    ["reserve", []],
    ["dimming", []],
  ]);
});
