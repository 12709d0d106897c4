// The demo site and its devices. Running it again changes nothing; what people changed or deleted stays that way.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type Device, UNSET_FIELDS } from "#core/device/device.ts";
import type { Site } from "#core/site/site.ts";
import type { DemoDevice } from "#demo/demo-devices.ts";
import type { DemoRecord } from "#demo/demo-record.ts";
import { type AssignNeeds, assignBlueprint } from "#service/blueprint/assign-blueprint.ts";
import { packPackage } from "#service/blueprint/pack-package.ts";
import { type UploadNeeds, uploadBlueprint } from "#service/blueprint/upload-blueprint.ts";
import { type ConfigurationNeeds, readConfiguration, writeConfiguration } from "#service/device/configuration.ts";
import { type ProvisionNeeds, provisionDevice } from "#service/device/provision-device.ts";
import type { Call } from "#service/ports.ts";
import { type CreateSiteNeeds, createSite } from "#service/site/create-site.ts";

export type ProvisionDemoNeeds = CreateSiteNeeds & UploadNeeds & ProvisionNeeds & AssignNeeds & ConfigurationNeeds;

const SITE_NAME = "Demo site";

/** The site of an earlier start, else the first site if it is the demo's, else a new one. */
export async function findDemoSite(
  needs: CreateSiteNeeds,
  call: Call,
  { known, timezone }: { readonly known: string | undefined; readonly timezone: string },
): Promise<Site> {
  const former = known === undefined ? undefined : await needs.sites.find(known);
  if (former !== undefined) return former;
  const { items } = await needs.sites.list("all", { limit: 100, offset: 0 });
  return (
    items.find(({ name }) => name === SITE_NAME) ??
    (await createSite(needs, call, { name: SITE_NAME, timezone, timezoneAssumed: false, location: undefined }))
  );
}

interface Place {
  readonly demo: DemoDevice;
  readonly siteId: string;
}

/** The device as it is now; undefined when somebody deleted it. */
export async function provisionDemoDevice(
  needs: ProvisionDemoNeeds,
  call: Call,
  { known, ...place }: Place & { readonly known: DemoRecord["devices"][string] | undefined },
): Promise<Device | undefined> {
  const content = readExample(place.demo.example);
  if (known !== undefined) {
    const device = await needs.devices.find(known.id);
    // A blueprint that somebody else assigned stays; one of an earlier version of Busbar is replaced.
    if (device === undefined || device.blueprintId !== known.blueprintId) return device;
    const stored = await needs.blueprints.find(known.blueprintId);
    if (stored?.digest === createHash("sha256").update(content).digest("hex")) return device;
    const { blueprint } = await uploadBlueprint(needs, call, content);
    return (await assignBlueprint(needs, call, { device: device.id, blueprintId: blueprint.id })).device;
  }
  const { blueprint } = await uploadBlueprint(needs, call, content);
  const device = await provisionOnce(needs, call, { ...place, blueprintId: blueprint.id });
  for (const [bucket, values] of Object.entries(place.demo.configuration)) {
    const buckets = new Map([[bucket, values]]);
    await writeConfiguration(needs, call, { device: device.id, buckets, isOneBucket: true });
  }
  return device;
}

/** An interrupted start may already have created the device. A device of somebody's own keeps its slug. */
async function provisionOnce(
  needs: ProvisionDemoNeeds,
  call: Call,
  { demo, siteId, blueprintId }: Place & { readonly blueprintId: string },
): Promise<Device> {
  const [found] = await needs.devices.findBySlug(demo.slug, new Set([siteId]));
  if (found?.type === "LUA") return found;
  return await provisionDevice(needs, call, {
    ...UNSET_FIELDS,
    type: "LUA",
    name: demo.name,
    slug: found === undefined ? demo.slug : undefined,
    siteId,
    blueprintId,
    parent: undefined,
  });
}

/** Gives the device the address of its part of the plant, if that has changed. */
export async function connectDemoDevice(
  needs: ConfigurationNeeds,
  call: Call,
  { device, connection }: { device: Device; connection: Readonly<Record<string, unknown>> },
): Promise<void> {
  const bucket = "connection";
  const before = (await readConfiguration(needs, call, { device: device.id, bucket })).get(bucket) ?? {};
  if (Object.entries(connection).every(([name, value]) => before[name] === value)) return;
  const values = { ...before, ...connection };
  await writeConfiguration(needs, call, { device: device.id, buckets: new Map([[bucket, values]]), isOneBucket: true });
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
