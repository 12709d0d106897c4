// Sends the cloud the connectivity of all devices, and then of those where it has changed.
import { MAX_CONNECTIVITY } from "#core/link/link-limits.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import type { Line } from "#service/link/line.ts";
import type { Needs } from "#service/ports.ts";

export interface UploadConnectivityNeeds extends Pick<Needs, "devices"> {
  readonly connectivity: Pick<Connectivity, "status">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const LOOK_EVERY_MS = 500;
const PAGE = 1_000;

/** `changed` gets the devices whose connectivity has changed, and is emptied here. Goes on until the end of the line. */
export async function uploadConnectivity(
  needs: UploadConnectivityNeeds,
  line: Pick<Line, "send" | "signal">,
  changed: Set<string>,
): Promise<void> {
  const send = async (deviceIds: Iterable<string>) => {
    const devices = Array.from(deviceIds, (id) => [id, needs.connectivity.status(id)] as const);
    for (let at = 0; at < devices.length; at += MAX_CONNECTIVITY) {
      await line.send({ type: "connectivity", devices: devices.slice(at, at + MAX_CONNECTIVITY) });
    }
  };
  const all: string[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await needs.devices.list({ scope: "all" }, { limit: PAGE, offset });
    all.push(...page.items.map(({ id }) => id));
    if (page.items.length < PAGE) break;
  }
  await send(all);
  while (!line.signal.aborted) {
    await needs.pause(LOOK_EVERY_MS, line.signal);
    const since = [...changed];
    changed.clear();
    await send(since);
  }
}
