import type { Device, JsonObject } from "#client/resources.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import type { Session } from "./session.ts";
import { suggestDevice } from "./suggest-device.ts";
import { UsageError } from "./usage-error.ts";

type Described = { readonly device: Device; readonly blueprint: Blueprint; readonly manifest: JsonObject };

/** A device and what its blueprint declares, as the server itself understands it. */
export async function readDeviceBlueprint({ client, wait }: Session, idOrSlug: string): Promise<Described> {
  const { device } = await wait(
    suggestDevice(client, idOrSlug, client.devices.get(idOrSlug, { expand: ["manifest", "connectivity"] })),
  );
  const given = device.manifest;
  // The compiled form is for other programs; what the author wrote says all of it.
  const isCompiled =
    typeof given?.["blueprint_spec"] === "string" && given["blueprint_spec"].startsWith("device_compiled/");
  const manifest = isCompiled ? (await wait(client.devices.manifest(device.id, "ORIGINAL"))).manifest : given;
  if (!manifest || Object.keys(manifest).length === 0) {
    throw new UsageError(
      `${device.slug} has no blueprint, so nothing is known about it: busbar device assign-blueprint ${device.slug}`,
    );
  }
  const { blueprint, issues } = parseManifest(JSON.stringify(manifest));
  if (blueprint === undefined) {
    const [first] = issues.filter((issue) => issue.severity === "error");
    throw new Error(
      `the manifest of ${device.slug} is not understood: ${first?.message ?? "it has errors"}\n  is this busbar older than the server?`,
    );
  }
  return { device, blueprint, manifest };
}
