import { hasOwnBlueprint } from "#client/built-in-blueprints.ts";
import { perform } from "./connection.ts";
import { createKeptManifests } from "./kept-manifests.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { session } from "./session.svelte.ts";

/** A stored blueprint never changes, so its manifest is read once and shared by all its devices. */
const known = new Map<string, Promise<Manifest>>();
const kept = createKeptManifests(typeof localStorage === "undefined" ? undefined : localStorage);

/** What the session may see of a device's manifest; an empty one without a blueprint. */
export function manifestOf(device: { readonly id: string; readonly blueprint_id: string }): Promise<Manifest> {
  if (!hasOwnBlueprint(device)) return Promise.resolve(readManifest({}));
  const found = known.get(device.blueprint_id);
  if (found !== undefined) return found;
  const key = device.blueprint_id;
  const read = find(device.id, key);
  known.set(key, read);
  // A failure is not kept: the next one who asks tries again.
  read.catch(() => known.delete(key));
  return read;
}

async function find(deviceId: string, blueprintId: string): Promise<Manifest> {
  const { level } = await session.known();
  const before = kept.find(level, blueprintId);
  if (before !== undefined) return readManifest(before);
  const { manifest } = await perform("getDeviceManifest", {
    params: { device_id: deviceId },
    query: { view: "COMPILED" },
  });
  kept.put(level, blueprintId, manifest);
  return readManifest(manifest);
}

/** What this browser keeps of a manifest, for a level. Undefined: it must be read. */
export function keptManifest(level: string, blueprintId: string): Manifest | undefined {
  const found = !hasOwnBlueprint({ blueprint_id: blueprintId }) ? {} : kept.find(level, blueprintId);
  return found && readManifest(found);
}

/** After another sign-in, the level may be another. */
export function forgetManifests(): void {
  known.clear();
  kept.forget();
}
