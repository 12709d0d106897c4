// The log of a device. A device that writes more than its share is not refused: its entries are dropped, and the log
// says how many.

import type { Micros } from "#core/command/execution.ts";
import type { Device } from "#core/device/device.ts";
import type { LogSeverity } from "#core/device/device-message.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { instant } from "#core/time/instant.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import { logEvent } from "#service/event/happening.ts";
import type { Needs } from "#service/ports.ts";

/** Characters of one entry. */
const MAX_LOG_LENGTH = 4_096;
/** What a device may write in an hour. After a quiet hour it may write all of it at once. */
const BYTES_PER_HOUR = 4 * 1024 * 1024;
/** How much of a device's log is kept: of persistent entries, and of the others. */
export const KEPT_LOG_BYTES = 16 * 1024 * 1024;
/** The cost of an entry in addition to its text. */
const ENTRY_BYTES = 64;

interface LogLine {
  readonly severity: LogSeverity;
  readonly text: string;
  readonly persist: boolean;
  /** Unix milliseconds by the device's clock. */
  readonly at: number;
}

type LoggedDevice = Pick<Device, "id" | "siteId">;

export interface DeviceLog {
  write(device: LoggedDevice, line: LogLine): Promise<void>;
  /** Writes for each device how many of its messages were dropped since the last call. To be called now and then. */
  reportLeftOut(): Promise<void>;
}

interface DeviceLogNeeds extends Pick<Needs, "deviceLogs" | "now"> {
  readonly events: Pick<EventHub, "publish">;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

interface Share {
  readonly device: LoggedDevice;
  /** Bytes that could be written at `filledAt`. */
  left: number;
  filledAt: number;
  leftOut: number;
}

export function createDeviceLog(needs: DeviceLogNeeds): DeviceLog {
  const shares = new Map<string, Share>();

  function refill(share: Share): void {
    const at = needs.elapsed();
    share.left = Math.min(BYTES_PER_HOUR, share.left + ((at - share.filledAt) / HOUR_MS) * BYTES_PER_HOUR);
    share.filledAt = at;
  }

  function take(device: LoggedDevice, bytes: number): boolean {
    let share = shares.get(device.id);
    if (share === undefined) {
      share = { device, left: BYTES_PER_HOUR, filledAt: needs.elapsed(), leftOut: 0 };
      shares.set(device.id, share);
    }
    refill(share);
    if (share.left < bytes) {
      share.leftOut++;
      return false;
    }
    share.left -= bytes;
    return true;
  }

  async function append(device: LoggedDevice, { severity, text: message, persist, at }: LogLine): Promise<void> {
    const entry = {
      receivedAt: (needs.now() * 1000) as Micros,
      takenAt: instant(Math.floor(at)),
      severity,
      message,
      persist,
    };
    for (const stored of await needs.deviceLogs.append(device.id, [entry], KEPT_LOG_BYTES)) {
      needs.events.publish(logEvent({ siteId: device.siteId, deviceId: device.id }, stored));
    }
  }

  return {
    async write(device, line) {
      const text = line.text.slice(0, MAX_LOG_LENGTH);
      if (take(device, text.length + ENTRY_BYTES)) await append(device, { ...line, text });
    },
    async reportLeftOut() {
      for (const [id, share] of shares) {
        refill(share);
        const { leftOut, device } = share;
        if (leftOut === 0) {
          if (share.left === BYTES_PER_HOUR) shares.delete(id);
          continue;
        }
        share.leftOut = 0;
        const words = leftOut === 1 ? "message is" : "messages are";
        const text = `${leftOut} ${words} left out: the log of a device takes ${BYTES_PER_HOUR} bytes an hour`;
        try {
          await append(device, { severity: "warning", text, persist: false, at: needs.now() });
        } catch (error) {
          share.leftOut += leftOut;
          throw error;
        }
      }
    },
  };
}
