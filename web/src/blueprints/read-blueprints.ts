import { hasOwnBlueprint } from "#client/built-in-blueprints.ts";
import { listAll } from "#client/list-all.ts";
import type { Blueprint, Device } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import type { ProfileSummary } from "./manifest-tools.ts";
import { ManifestWorkerClient } from "./manifest-worker-client.ts";
import { type Package, readPackage } from "./package.ts";
import { readZip } from "./zip.ts";

/** All blueprints that can be assigned, and all devices that the session sees. */
export async function readBlueprints(): Promise<{
  readonly blueprints: readonly Blueprint[];
  readonly devices: readonly Device[];
}> {
  const [all, devices] = await Promise.all([
    Array.fromAsync(listAll("blueprints", client.blueprints.list)),
    Array.fromAsync(listAll("devices", client.devices.list)),
  ]);
  return { blueprints: all.filter(({ id }) => hasOwnBlueprint({ blueprint_id: id })), devices };
}

/** A stored blueprint never changes, so one that was read is not read again; the last few are kept. */
const packages = new Map<string, Promise<Package>>();
const MOST_PACKAGES = 10;

export function packageOfBlueprint(id: string): Promise<Package> {
  const known = packages.get(id);
  if (known !== undefined) return known;
  const read = client.blueprints.download(id).then(readPackage);
  packages.set(id, read);
  read.catch(() => packages.delete(id));
  const [oldest] = packages.keys();
  if (packages.size > MOST_PACKAGES && oldest !== undefined) packages.delete(oldest);
  return read;
}

export async function packageOfEntry(id: string): Promise<Package> {
  return readPackage(await client.catalogue.download(id));
}

/** A worker that judges by the profiles of the server. Without them it judges by those that come with the page. */
export async function openManifestTools(): Promise<{
  readonly tools: ManifestWorkerClient;
  readonly profiles: readonly ProfileSummary[];
}> {
  const tools = new ManifestWorkerClient();
  const files = await client.blueprints.downloadProfiles().then(readZip, () => new Map<string, Uint8Array>());
  const texts = [...files].map(([path, content]) => [path, new TextDecoder().decode(content)]);
  const profiles = await tools.ask("setProfiles", Object.fromEntries(texts));
  return { tools, profiles };
}
