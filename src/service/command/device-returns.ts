// Devices that can be reached again: what waits for them is handed over.
import type { CommandDelivery } from "#service/command/command-delivery.ts";
import type { DeviceTurns } from "#service/command/device-turns.ts";
import { everyOpen } from "#service/command/every-open.ts";
import type { ExecutionStore } from "#service/ports/execution-store.ts";

export interface DeviceReturns {
  /** Hands over everything that waits for the device. */
  deviceReachable(deviceId: string): void;
  /** The same for the devices of a gateway, by one look for those that something waits for. */
  devicesReachable(deviceIds: readonly string[]): void;
}

interface ReturnNeeds {
  readonly executions: Pick<ExecutionStore, "open" | "devicesWaiting">;
}

interface Around {
  readonly delivery: Pick<CommandDelivery, "handOver">;
  readonly turns: Pick<DeviceTurns, "take">;
  /** They hear of each device. */
  readonly listeners: readonly ((deviceId: string) => void)[];
}

const LOOKED_FOR_AT_ONCE = 1_000;

export function createDeviceReturns(
  { executions }: ReturnNeeds,
  { delivery, turns, listeners }: Around,
): DeviceReturns {
  /** What is created from now on leaves after what waits: it has to wait, too, until it is known whether anything does. */
  function reachable(deviceId: string, isAwaited = async () => true): void {
    for (const listener of listeners) listener(deviceId);
    turns.take(deviceId, async () => {
      if (!(await isAwaited())) return;
      const left: Promise<void>[] = [];
      // All at once: the marks share a commit, and the store answers in order, so the commands leave in order.
      for await (const waiting of everyOpen(executions, { deviceId })) {
        if (!waiting.attempted) left.push(delivery.handOver(waiting));
      }
      await Promise.all(left);
    });
  }

  return {
    deviceReachable: (deviceId) => reachable(deviceId),
    devicesReachable(deviceIds) {
      for (let at = 0; at < deviceIds.length; at += LOOKED_FOR_AT_ONCE) {
        const some = deviceIds.slice(at, at + LOOKED_FOR_AT_ONCE);
        const waiting = executions.devicesWaiting(some);
        // Each device hears of a failure in its turn.
        waiting.catch(() => {});
        for (const deviceId of some) reachable(deviceId, async () => (await waiting).has(deviceId));
      }
    },
  };
}
