import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import type { Needs } from "#service/ports.ts";

interface ReleaseNeeds extends Pick<Needs, "telemetry" | "devices"> {
  readonly alertTracker: Pick<AlertTracker, "reread">;
}

/**
 * After the clock was set by this much: points that were refused because they seemed to be in the future become
 * visible.
 */
export async function releaseHeld(needs: ReleaseNeeds, byMs: number): Promise<void> {
  for (const deviceId of await needs.telemetry.release(byMs)) {
    const device = await needs.devices.find(deviceId);
    if (device !== undefined) await needs.alertTracker.reread(device);
  }
}
