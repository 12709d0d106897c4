import { NO_DETAILS } from "#core/alert/alert-details.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import type { Device } from "#core/device/device.ts";
import type { Instant } from "#core/time/instant.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";

/** Alerts of controls and of interlocks are lists of their own beside those of the device. No attribute can have these names. */
type ListName = ".controls" | ".interlocks";
/** A list that is not repeated counts as unconfirmed. */
const REPEAT_MS = 10_000;

export interface ControlAlerts {
  /** Reports the alerts of a device, all of the list. */
  report(device: Device, blueprint: Blueprint | undefined, alertIds: readonly string[]): Promise<void>;
}

export function createControlAlerts(
  tracker: Pick<AlertTracker, "report">,
  now: () => Instant,
  list: ListName = ".controls",
): ControlAlerts {
  const source = { id: list, accessLevel: "readonly" } as const;
  const reported = new Map<string, { readonly ids: string; readonly at: number }>();
  return {
    async report(device, blueprint, alertIds) {
      const at = now();
      const ids = [...alertIds].sort().join(" ");
      const last = reported.get(device.id);
      if (last?.ids === ids && Math.abs(at - last.at) < REPEAT_MS) return;
      await tracker.report(device, { at, lists: new Map([[source, alertIds]]), details: NO_DETAILS, blueprint });
      if (ids === "") reported.delete(device.id);
      else reported.set(device.id, { ids, at });
    },
  };
}
