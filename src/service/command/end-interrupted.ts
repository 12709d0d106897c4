import type { Device } from "#core/device/device.ts";
import { everyOpen } from "#service/command/every-open.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Needs } from "#service/ports.ts";
import type { CommandDispatcher } from "./command-dispatcher.ts";

/** What a command ends with whose device ran in a process that is gone. */
export const INTERRUPTED = "interrupted by restart, outcome unknown";

interface InterruptedNeeds extends Pick<Needs, "executions" | "devices"> {
  readonly dispatcher: CommandDispatcher;
  readonly hosts: DeviceHost;
}

/**
 * Ends what devices of this process were told before it was started: nobody is left who could answer, and nobody knows
 * how far it came, so it is not run again. To be called before these devices are started.
 */
export async function endInterrupted(needs: InterruptedNeeds): Promise<void> {
  const known = new Map<string, Device | undefined>();
  const ends: Promise<void>[] = [];
  for await (const { id: executionId, deviceId, attempted } of everyOpen(needs.executions)) {
    if (!attempted) continue;
    if (!known.has(deviceId)) known.set(deviceId, await needs.devices.find(deviceId));
    const device = known.get(deviceId);
    if (device === undefined || !needs.hosts.hosts(device.type)) continue;
    const payload = { message: INTERRUPTED };
    ends.push(needs.dispatcher.respond(deviceId, { executionId, state: "ERROR", payload, repeated: false }));
  }
  const failed = (await Promise.allSettled(ends)).filter((end) => end.status === "rejected");
  if (failed.length > 0)
    throw new AggregateError(
      failed.map((end) => end.reason),
      `${failed.length} could not be ended`,
    );
}
