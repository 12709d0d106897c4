// The present state as events, for a listener that has missed too much: its devices, and of each its connectivity, active
// alerts and open executions. Read device by device, as fast as the listener takes it.
import type { Device } from "#core/device/device.ts";
import { type BusbarEvent, deviceEvent, executionEvent } from "#core/event/event.ts";
import { type EventFilter, selects, selectsKind } from "#core/event/event-filter.ts";
import { describeAlert } from "#service/alert/describe-alert.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import { everyOpen } from "#service/command/every-open.ts";
import { deviceStatus, type StatusNeeds } from "#service/device/device-status.ts";
import type { PrepareEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";

export interface CurrentStateNeeds extends StatusNeeds, Pick<Needs, "devices" | "alerts" | "executions" | "now"> {
  readonly catalog: BlueprintCatalog;
  readonly prepareEvent: PrepareEvent;
}

const PAGE = 200;

export async function* currentState(needs: CurrentStateNeeds, filter: EventFilter): AsyncGenerator<BusbarEvent> {
  for await (const device of everyDevice(needs, filter)) {
    for await (const event of stateOf(needs, filter, device)) if (selects(filter, event)) yield event;
  }
}

async function* stateOf(needs: CurrentStateNeeds, filter: EventFilter, device: Device): AsyncGenerator<BusbarEvent> {
  const place = { siteId: device.siteId, deviceId: device.id };
  yield deviceEvent(device, "updated", device.updatedAt);
  const status = deviceStatus(needs, device);
  yield needs.prepareEvent({ ...place, kind: "connectivity", status, at: needs.now() });
  if (selectsKind(filter, "alert")) {
    for (const record of await needs.alerts.active(device.id)) {
      const alert = await describeAlert(needs, record);
      yield needs.prepareEvent({ ...place, kind: "alert", change: "raised", at: record.raisedAt, alert });
    }
  }
  if (selectsKind(filter, "execution")) {
    for await (const { id } of everyOpen(needs.executions, { deviceId: device.id })) {
      const execution = await needs.executions.find(device.id, id, needs.now());
      if (execution !== undefined) yield executionEvent(execution);
    }
  }
}

/** Pages overlap by half, so that a device that is deleted meanwhile does not hide another. */
async function* everyDevice({ devices }: CurrentStateNeeds, filter: EventFilter): AsyncGenerator<Device> {
  const { scope, deviceIds } = filter;
  let before: ReadonlySet<string> = new Set();
  for (let offset = 0; ; offset += PAGE / 2) {
    const { items, total } = await devices.list({ scope, names: deviceIds && [...deviceIds] }, { limit: PAGE, offset });
    for (const device of items) if (!before.has(device.id)) yield device;
    if (offset + PAGE >= total) return;
    before = new Set(items.map(({ id }) => id));
  }
}
