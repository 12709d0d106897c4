import type { Device } from "#core/device/device.ts";
import { everyOpen } from "#service/command/every-open.ts";
import type { ChildRoutes } from "#service/device/child-routes.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Needs } from "#service/ports.ts";
import type { CommandDispatcher } from "./command-dispatcher.ts";

/** The final message of a command whose device ran in a process that has ended. */
export const INTERRUPTED = "interrupted by restart, outcome unknown";

interface InterruptedNeeds extends Pick<Needs, "executions" | "devices"> {
  readonly dispatcher: CommandDispatcher;
  readonly hosts: DeviceHost;
  readonly children: Pick<ChildRoutes, "place" | "find">;
}

/**
 * Ends commands that devices of this process received before it was started. Nobody is left to answer them, and it is
 * unknown how far they came, so they are not run again. Must be called before these devices are started. `isOurs` says
 * the devices of this process from those that other nodes run.
 */
export async function endInterrupted(
  needs: InterruptedNeeds,
  isOurs: (carrier: Device) => boolean = () => true,
): Promise<void> {
  const known = new Map<string, Device | undefined>();
  const ends: Promise<unknown>[] = [];
  for await (const { id: executionId, deviceId, attempted } of everyOpen(needs.executions)) {
    if (!attempted) continue;
    if (!known.has(deviceId)) known.set(deviceId, await needs.devices.find(deviceId));
    const device = known.get(deviceId);
    if (device === undefined) continue;
    const carrier = await carrierOf(needs, device);
    if (!needs.hosts.hosts(carrier.type) || !isOurs(carrier)) continue;
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

/** The device that got the command: of a child, the one whose script speaks for it. */
async function carrierOf(needs: InterruptedNeeds, device: Device): Promise<Device> {
  if (device.type !== "CHILD") return device;
  await needs.children.place(device);
  const route = needs.children.find(device.id);
  return (route && (await needs.devices.find(route.carrierId))) ?? device;
}
