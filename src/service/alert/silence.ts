// Which alerts a maintenance window silences now.
import { type MaintenanceWindow, silencedUntil } from "#core/alert/maintenance.ts";
import type { Instant } from "#core/time/instant.ts";
import type { Needs } from "#service/ports.ts";

export type SilenceNeeds = Pick<Needs, "maintenance" | "devices" | "now">;
/** When the silence of a device ends. Undefined: nothing silences it. */
type Silence = (deviceId: string) => Promise<Instant | undefined>;

const MOST_STEPS = 8;

export async function silenceOf(needs: SilenceNeeds, siteId: string): Promise<Silence> {
  const now = needs.now();
  const windows = await needs.maintenance.notOver(siteId, now);
  const known = new Map<string, Promise<Instant | undefined>>();
  if (windows.length === 0) return async () => undefined;
  return async (deviceId) => {
    const found = known.get(deviceId) ?? untilOf(needs, deviceId, { windows, now });
    known.set(deviceId, found);
    return await found;
  };
}

async function untilOf(
  needs: SilenceNeeds,
  deviceId: string,
  { windows, now }: { readonly windows: readonly MaintenanceWindow[]; readonly now: Instant },
): Promise<Instant | undefined> {
  const namesDevices = windows.some((window) => window.deviceId !== undefined);
  return silencedUntil(windows, namesDevices ? await chainOf(needs, deviceId) : [deviceId], now);
}

/** The device, and those through which it is connected. */
async function chainOf(needs: Pick<SilenceNeeds, "devices">, deviceId: string): Promise<readonly string[]> {
  const chain: string[] = [];
  for (let next: string | undefined = deviceId; next !== undefined && chain.length < MOST_STEPS; ) {
    if (chain.includes(next)) break;
    chain.push(next);
    next = (await needs.devices.find(next))?.parentId;
  }
  return chain;
}
