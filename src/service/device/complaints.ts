// What is wrong with the messages of a device, in its log.
import type { Device } from "#core/device/device.ts";
import type { DeviceLog } from "#service/device/device-log.ts";
import type { Needs } from "#service/ports.ts";

const MINUTE_MS = 60_000;
/**
 * At most this many log lines a minute about one device's bad messages, so that a flood of them does not flood the log.
 */
const COMPLAINTS_PER_MINUTE = 10;

interface ComplaintNeeds extends Pick<Needs, "now"> {
  readonly deviceLog: Pick<DeviceLog, "write">;
}

export function createComplaints(needs: ComplaintNeeds) {
  const complaints = new Map<string, { count: number; until: number }>();

  return async function complain(device: Device, text: string): Promise<void> {
    const now = needs.now();
    let window = complaints.get(device.id);
    // A window that ends more than a minute ahead dates from before the clock was set back.
    if (window === undefined || window.until <= now || window.until > now + MINUTE_MS) {
      window = { count: 0, until: now + MINUTE_MS };
      complaints.set(device.id, window);
    }
    window.count++;
    if (window.count > COMPLAINTS_PER_MINUTE) return;
    const last = window.count === COMPLAINTS_PER_MINUTE ? "; more of the kind are left out for a minute" : "";
    await needs.deviceLog.write(device, { severity: "warning", text: `${text}${last}`, persist: false, at: now });
  };
}
