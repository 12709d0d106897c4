import { hasOwnBlueprint } from "#client/built-in-blueprints.ts";
import type { Device } from "#client/resources.ts";
import type { Cli } from "./cli.ts";
import { printRecord } from "./print.ts";
import type { ClientFlags } from "./session.ts";

type Shown = readonly [label: string, value: string | null | undefined];

/** Every field, in the order in which people see it. What has no value is left out. */
const shownFields = (device: Device): Readonly<Record<keyof Device, Shown | undefined>> => ({
  id: ["id", device.id],
  // The same as the id.
  device_id: undefined,
  name: ["name", device.name],
  slug: ["slug", device.slug],
  type: ["type", device.type],
  site_id: ["site id", device.site_id],
  blueprint_id: ["blueprint id", hasOwnBlueprint(device) ? device.blueprint_id : "none"],
  parent_id: ["parent id", device.parent_id ?? undefined],
  child_type: ["child type", device.parent_id === null ? undefined : device.child_type],
  energy_role: ["energy role", device.energy_role ?? "auto"],
  authorized_role: ["your role", device.authorized_role],
  created_at: ["created", device.created_at],
  updated_at: ["updated", device.updated_at],
  connectivity: ["status", device.connectivity?.status],
  raised_alert_names: ["alerts", device.raised_alert_names?.join(", ")],
  properties: ["properties", device.properties && JSON.stringify(device.properties)],
  communication: [
    "communication",
    device.communication === undefined ? undefined : JSON.stringify(device.communication),
  ],
  manifest: ["manifest", device.manifest && "see busbar device manifest, or -o json"],
  site: undefined,
});

export function printDevice(cli: Cli, flags: ClientFlags, answer: { readonly device: Device }): Promise<void> {
  const fields = Object.values(shownFields(answer.device)).filter((one) => one?.[1] !== undefined) as Shown[];
  return printRecord(cli, flags, { answer, fields: Object.fromEntries(fields) });
}
