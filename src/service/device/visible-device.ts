import { refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { isUuid } from "#core/device/slug.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { Call } from "#service/ports.ts";

/** The device with this id or slug. The refusal is the same whether it does not exist or the caller may not see it. */
export async function visibleDevice(
  needs: { readonly devices: Pick<DeviceStore, "findIn" | "findBySlug"> },
  call: Pick<Call, "caller">,
  idOrSlug: string,
): Promise<Device> {
  const { caller } = call;
  if (isUuid(idOrSlug)) {
    const device = await needs.devices.findIn(idOrSlug.toLowerCase(), caller.sites);
    if (device !== undefined) return device;
    throw notFound(idOrSlug);
  }
  const [device, another] = await needs.devices.findBySlug(idOrSlug, caller.sites);
  if (another !== undefined) {
    throw refuse("slug_ambiguous", `devices of several sites have the slug ${shown(idOrSlug)}; use the device id`);
  }
  if (device === undefined) throw notFound(idOrSlug);
  return device;
}

function notFound(idOrSlug: string) {
  return refuse("not_found", `there is no device ${shown(idOrSlug)}`);
}

function shown(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
