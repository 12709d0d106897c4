import { hasOwnBlueprint } from "#client/built-in-blueprints.ts";
import type { Device } from "#client/resources.ts";
import type { Cli } from "./cli.ts";
import { printRecord } from "./print.ts";
import type { ClientFlags } from "./session.ts";

export function printDevice(cli: Cli, flags: ClientFlags, answer: { readonly device: Device }): Promise<void> {
  const { device } = answer;
  const fields = {
    id: device.id,
    name: device.name,
    slug: device.slug,
    type: device.type,
    "site id": device.site_id,
    "blueprint id": hasOwnBlueprint(device) ? device.blueprint_id : "none",
    ...(device.parent_id ? { "parent id": device.parent_id, "child type": device.child_type } : {}),
    "your role": device.authorized_role,
    created: device.created_at,
    updated: device.updated_at,
    ...(device.connectivity === undefined ? {} : { status: device.connectivity.status }),
    ...(device.raised_alert_names === undefined ? {} : { alerts: device.raised_alert_names.join(", ") }),
    ...(device.properties === undefined ? {} : { properties: JSON.stringify(device.properties) }),
    ...(device.communication === undefined ? {} : { communication: JSON.stringify(device.communication) }),
    ...(device.manifest === undefined ? {} : { manifest: "see busbar device manifest, or -o json" }),
  };
  return printRecord(cli, flags, { answer, fields });
}
