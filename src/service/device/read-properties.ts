import { levelAt } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import type { Device } from "#core/device/device.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { Call, Needs } from "#service/ports.ts";

type ReadNeeds = Pick<Needs, "devices"> & { readonly catalog: BlueprintCatalog };

/** Per device the properties the caller's level may read, as name -> value. */
export async function readProperties(
  needs: ReadNeeds,
  call: Call,
  devices: readonly Device[],
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const stored = await needs.devices.properties(devices.map((device) => device.id));
  const answer = new Map<string, Readonly<Record<string, unknown>>>();
  for (const device of devices) {
    const declared =
      device.blueprintId === undefined ? undefined : (await needs.catalog.get(device.blueprintId)).blueprint.properties;
    const level = levelAt(call.caller, device.siteId);
    const visible = (stored.get(device.id) ?? []).filter(({ name }) =>
      allows(level, declared?.get(name)?.accessLevel ?? "readonly"),
    );
    answer.set(device.id, Object.fromEntries(visible.map(({ name, value }) => [name, value])));
  }
  return answer;
}
