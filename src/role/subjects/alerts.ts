import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { WINDOWS_KEPT_MS } from "#core/alert/maintenance.ts";
import { toMilliseconds } from "#core/time/duration.ts";
import { ago, MINUTE, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { acknowledgeOperations } from "#service/alert/acknowledge-operations.ts";
import { alertOperations } from "#service/alert/alert-operations.ts";
import { maintenanceOperations } from "#service/alert/maintenance-operations.ts";
import type { Figures } from "#service/ports/figures.ts";

export function alerts(parts: Parts): Subject {
  const { clock, liveSettings } = parts;
  return {
    operations: [...alertOperations(parts), ...acknowledgeOperations(parts), ...maintenanceOperations(parts)],
    chores: [
      {
        name: "prune past alerts",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: () =>
          untilDone(() => parts.alerts.prune(ago(clock, toMilliseconds(liveSettings.config().alerts.retention)))),
      },
      {
        name: "prune maintenance windows",
        isShared: true,
        everyMs: 60 * MINUTE,
        task: () => untilDone(() => parts.maintenance.prune(ago(clock, WINDOWS_KEPT_MS))),
      },
    ],
    figures: async () => ({ alerts: await countAlerts(parts) }),
  };
}

async function countAlerts({ alerts: stored }: Parts): Promise<Figures["alerts"]> {
  const filter = { scope: "all", level: "system", active: true, newestFirst: false } as const;
  const counts = ALERT_SEVERITIES.map(async (severity) => {
    const { total } = await stored.list({ ...filter, severities: [severity] }, { limit: 0, offset: 0 });
    return [severity, total] as const;
  });
  return new Map(await Promise.all(counts));
}
