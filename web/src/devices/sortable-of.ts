import type { Alert } from "#client/resources.ts";
import type { DeviceState } from "#web/data/device-state.svelte.ts";
import { statusAttribute } from "#web/data/find-attribute.ts";
import { cardModel } from "./device-card.ts";
import type { Sortable } from "./sort-devices.ts";

export function sortableOf(device: DeviceState, alerts: readonly Alert[]): Sortable {
  const { main } = cardModel(device);
  const value = main === undefined ? undefined : device.values.get(main.id)?.value;
  const status = statusAttribute(device.manifest);
  const state = status === undefined ? undefined : device.values.get(status.id)?.value;
  return {
    name: device.name,
    status: device.connectivity === "ONLINE" && state !== undefined ? String(state) : device.connectivity,
    value: typeof value === "number" ? value : undefined,
    alerts: alerts.filter(({ device_id }) => device_id === device.id).length,
    seen: device.lastSeen,
    kind: device.manifest.displayName,
  };
}
