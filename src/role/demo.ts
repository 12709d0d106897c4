// The demo site: one device per example blueprint.
import { readFileSync } from "node:fs";
import { uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { provisionDevice } from "#service/device/provision-device.ts";
import type { Call, Needs } from "#service/ports.ts";

const DEVICES = [
  { name: "Roof inverter", blueprint: "pv-inverter" },
  { name: "Battery rack A", blueprint: "battery" },
  { name: "Grid meter", blueprint: "grid-meter" },
  { name: "Electrolyser", blueprint: "electrolyser" },
  { name: "Wallbox", blueprint: "ev-charger" },
  { name: "Weather station", blueprint: "weather-station" },
];

type DemoNeeds = Pick<Needs, "blueprints" | "devices" | "sites" | "inspectPackage" | "now" | "newId">;

export async function provisionDemo(needs: DemoNeeds, call: Call, siteId: string): Promise<void> {
  for (const { name, blueprint: example } of DEVICES) {
    const { blueprint } = await uploadBlueprint(needs, call, readExample(example));
    await provisionDevice(needs, call, {
      type: "STANDALONE",
      name,
      slug: undefined,
      siteId,
      blueprintId: blueprint.id,
      parent: undefined,
      childType: undefined,
    });
  }
}

function readExample(name: string): Uint8Array {
  return readFileSync(new URL(`../../examples/blueprints/${name}/manifest.yml`, import.meta.url));
}
