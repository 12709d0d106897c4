// Sign-ins of devices that were refused, for the device's log and the audit log. A device with a wrong secret tries again
// without end, and so does an attacker: the device's log gets one line a minute, and the audit log counts.
import type { Device } from "#core/device/device.ts";
import type { RefusalLog } from "#service/access/refusal-log.ts";
import type { Background } from "#service/background.ts";
import type { DeviceLog } from "#service/device/device-log.ts";
import type { Needs } from "#service/ports.ts";

export interface RefusedSignIn {
  /** Undefined when no device has the name. */
  readonly deviceId: string | undefined;
  readonly by: "secret" | "certificate";
  readonly remoteAddress: string;
}

export interface SignInNeeds extends Pick<Needs, "devices" | "now" | "newId"> {
  readonly refusals: Pick<RefusalLog, "note">;
  readonly deviceLog: Pick<DeviceLog, "write">;
  readonly background: Pick<Background, "run">;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

interface LoggedRefusal {
  readonly device: Pick<Device, "id" | "siteId">;
  readonly at: number;
  /** Refused after it, within the minute. */
  more: number;
}

const MINUTE_MS = 60_000;
/** The name of the action in the audit log. */
const ACTION = "signInDevice";
const WRONG = { secret: "wrong secret", certificate: "the certificate is not the latest one of this device" };

export function createRefusedSignIns(needs: SignInNeeds): { note(refused: RefusedSignIn): void } {
  /** The last line in the log of each device that had one. */
  const logged = new Map<string, LoggedRefusal>();

  function audit({ by, remoteAddress }: RefusedSignIn, device: LoggedRefusal["device"] | undefined): void {
    needs.refusals.note({
      caller: undefined,
      action: ACTION,
      target: device === undefined ? {} : { siteId: device.siteId, deviceId: device.id },
      code: "unauthorized",
      message: `a sign-in over MQTT was refused: ${device === undefined ? "no device has this name" : WRONG[by]}`,
      requestId: needs.newId(),
      remoteAddress,
    });
  }

  async function logRefusal(refused: RefusedSignIn, deviceId: string, last: LoggedRefusal | undefined): Promise<void> {
    const device = await needs.devices.find(deviceId);
    audit(refused, device);
    if (device === undefined) return;
    logged.set(deviceId, { device, at: needs.elapsed(), more: 0 });
    const more = last === undefined || last.more === 0 ? "" : `; ${last.more} more since the entry before`;
    const text = `sign-in over MQTT refused: ${WRONG[refused.by]}, from ${refused.remoteAddress}${more}`;
    await needs.deviceLog.write(device, { severity: "warning", text, persist: false, at: needs.now() });
  }

  return {
    note(refused) {
      const { deviceId } = refused;
      if (deviceId === undefined) return audit(refused, undefined);
      const last = logged.get(deviceId);
      // A flood costs no reads and no writes here.
      if (last !== undefined && needs.elapsed() - last.at < MINUTE_MS) {
        last.more++;
        return audit(refused, last.device);
      }
      needs.background.run("note a refused sign-in", () => logRefusal(refused, deviceId, last));
    },
  };
}
