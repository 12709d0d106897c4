import { client } from "./client.ts";
import { type Manifest, readManifest } from "./manifest.ts";

/** A stored blueprint never changes, so its manifest is read once and shared by all its devices. */
const known = new Map<string, Promise<Manifest>>();

/** What the session may see of a device's manifest; an empty one without a blueprint. */
export function manifestOf(device: { readonly id: string; readonly blueprint_id: string | null }): Promise<Manifest> {
  if (device.blueprint_id === null) return Promise.resolve(readManifest({}));
  const found = known.get(device.blueprint_id);
  if (found !== undefined) return found;
  const key = device.blueprint_id;
  const read = client.devices.manifest(device.id, "COMPILED").then(({ manifest }) => readManifest(manifest));
  known.set(key, read);
  // A failure is not kept: the next one who asks tries again.
  read.catch(() => known.delete(key));
  return read;
}

/** After another sign-in, the level may be another. */
export function forgetManifests(): void {
  known.clear();
}
