// Which devices are present, judged by their messages: an external broker does not report who is connected or listens.
import type { Instant } from "#core/time/instant.ts";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";

export interface Presence {
  /** A message came from the device. Returns true when the device had been away. */
  note(device: SignedIn): boolean;
  /** The device as of its latest message, while it is present. */
  find(deviceId: string): SignedIn | undefined;
  /** The connection is lost and no device can be reached. A device counts as returned with its next message. */
  forget(): void;
  /** Reports the devices that have fallen silent. */
  sweep(): void;
}

export function createPresence(inbox: DeviceInbox, now: () => Instant, aliveForMs: number): Presence {
  const present = new Map<string, { readonly device: SignedIn; readonly at: Instant }>();
  // A sign of life in the future dates from before the clock was set back.
  const isOver = (at: Instant) => Math.abs(now() - at) > aliveForMs;
  return {
    note(device) {
      const wasAway = !present.has(device.deviceId);
      // Deleted first, so that the map stays ordered by the latest sign of life.
      present.delete(device.deviceId);
      present.set(device.deviceId, { device, at: now() });
      return wasAway;
    },
    find(deviceId) {
      const found = present.get(deviceId);
      return found === undefined || isOver(found.at) ? undefined : found.device;
    },
    forget: () => present.clear(),
    sweep() {
      for (const [deviceId, { at }] of present) {
        if (!isOver(at)) return;
        present.delete(deviceId);
        inbox.unreachable(deviceId);
      }
    },
  };
}
