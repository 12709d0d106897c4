import type { Attribute, Manifest } from "./manifest.ts";

/** The telemetry attribute that implements a profile's field, or has its name; names are tried in order. */
export function findAttribute(manifest: Manifest, ...fields: readonly string[]): Attribute | undefined {
  for (const field of fields) {
    const own = manifest.telemetry.get(field);
    if (own !== undefined) return own;
    for (const attribute of manifest.telemetry.values()) {
      if (attribute.aliases.includes(field) || attribute.implements.some((name) => name.endsWith(`.${field}`)))
        return attribute;
    }
  }
  return undefined;
}

/** The attribute that says in one word what the device is doing. */
export function statusAttribute(manifest: Manifest): Attribute | undefined {
  const status = findAttribute(manifest, "status", "state", "mode");
  return status?.enum === undefined && status?.type !== "string" ? undefined : status;
}
