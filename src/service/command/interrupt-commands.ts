import type { Payload } from "#core/command/execution.ts";
import type { CommandDesk } from "#service/command/command-desk.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Needs } from "#service/ports.ts";

/** How a command ends whose script went away while it ran: the device may have done it, or half of it. */
export const INTERRUPTED: Payload = { message: "interrupted by restart, outcome unknown" };

interface InterruptNeeds extends Pick<Needs, "executions" | "devices"> {
  readonly hosts: DeviceHost;
  readonly desk: CommandDesk;
}

/** Before hosted devices start: what was handed to their scripts in an earlier run will never be answered, nor run again. */
export async function interruptCommands(needs: InterruptNeeds): Promise<void> {
  const handedOver = (await needs.executions.open()).filter(({ attempted }) => attempted);
  await Promise.all(
    handedOver.map(async ({ execution: { id, deviceId } }) => {
      const device = await needs.devices.find(deviceId);
      if (device === undefined || !needs.hosts.hosts(device.type)) return;
      await needs.desk.respond(deviceId, { executionId: id, state: "ERROR", payload: INTERRUPTED, repeated: false });
    }),
  );
}
