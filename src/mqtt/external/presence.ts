// Who is there, as far as messages show: an outside broker does not tell who is connected or listens.
import type { Instant } from "#core/time/instant.ts";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";

export interface Presence {
  /** A message came from the device; true when it had been away. */
  note(device: SignedIn): boolean;
  /** The device as it last spoke, while it is there. */
  find(deviceId: string): SignedIn | undefined;
  /** Nobody can be reached: whoever speaks next counts as having returned. */
  forget(): void;
  /** Tells which devices have fallen silent. */
  sweep(): void;
}

export function createPresence(inbox: DeviceInbox, now: () => Instant, aliveForMs: number): Presence {
  const present = new Map<string, { readonly device: SignedIn; readonly at: Instant }>();
  // A sign of life that lies ahead is from before the clock was set back.
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
