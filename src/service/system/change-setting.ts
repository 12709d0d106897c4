import { refuse } from "#core/app-error.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { LiveSetting, LiveSettings } from "#service/ports/live-settings.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface SettingNeeds extends Pick<Needs, "settings" | "now" | "newId"> {
  readonly liveSettings: LiveSettings;
  readonly nodes: Pick<Nodes, "broadcast">;
}

/** Holds from now on, on all nodes and after a restart. Without a value, what is configured holds again. */
export async function changeSetting(
  needs: SettingNeeds,
  call: Call,
  { name, value }: { readonly name: string; readonly value: string | undefined },
): Promise<LiveSetting> {
  const { liveSettings, settings } = needs;
  const before = find(liveSettings, name);
  const problem = value === undefined ? undefined : liveSettings.problemOf(name, value);
  if (problem !== undefined) throw refuse("invalid_body", `${name} ${problem}`, { pointer: "/value" });
  const details = { setting: name, from: before.value, to: value ?? before.configured };
  const trail = auditTrail(needs, call, { target: {}, details });
  if (value === undefined) await settings.delete(name, trail);
  else await settings.put(name, value, trail);
  await liveSettings.refresh();
  needs.nodes.broadcast({ kind: "settings" });
  return find(liveSettings, name);
}

function find(liveSettings: LiveSettings, name: string): LiveSetting {
  const all = liveSettings.list();
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name).join(", ");
  throw refuse("not_found", `no setting that can be changed while Busbar runs has this name; these are: ${names}`);
}
