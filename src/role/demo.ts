// The demo site: one device per example blueprint.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";
import type { Call } from "#service/ports.ts";

const DEVICES = [
  { name: "Roof inverter", blueprint: "pv-inverter" },
  { name: "Battery rack A", blueprint: "battery" },
  { name: "Grid meter", blueprint: "grid-meter" },
  { name: "Electrolyser", blueprint: "electrolyser" },
  { name: "Wallbox", blueprint: "ev-charger" },
  { name: "Weather station", blueprint: "weather-station" },
];

type DemoNeeds = UploadNeeds & ProvisionNeeds;

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

/** The whole folder as a package: a manifest names files beside it. */
function readExample(name: string): Uint8Array {
  const folder = fileURLToPath(new URL(`../../examples/blueprints/${name}/`, import.meta.url));
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) files.set(relative(folder, path), readFileSync(path));
  }
  return packPackage(files);
}
