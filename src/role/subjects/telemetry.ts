import { MINUTE, SECOND } from "#role/chore-times.ts";
import { diskOf } from "#role/disk-of.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { enforceRetention } from "#service/telemetry/enforce-retention.ts";
import { exportOperations } from "#service/telemetry/export-operations.ts";
import { importOperations } from "#service/telemetry/import-operations.ts";
import { limitTelemetry } from "#service/telemetry/limit-size.ts";
import { retentionOperations } from "#service/telemetry/retention-operations.ts";
import { telemetryOperations } from "#service/telemetry/telemetry-operations.ts";

export function telemetry(parts: Parts): Subject {
  const { clock, config, liveSettings } = parts;
  const retentionDefault = () => liveSettings.config().telemetry.retention;
  // Deletion cannot be undone, so a clock that was set forward is not trusted at once.
  const now = () => clock.earliest();
  return {
    operations: [
      ...telemetryOperations(parts),
      ...exportOperations(parts),
      ...importOperations(parts),
      ...retentionOperations({ ...parts, retentionDefault }),
    ],
    chores: [
      {
        name: "drop old telemetry",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: async () => void (await enforceRetention({ ...parts, now }, retentionDefault())),
      },
      {
        name: "keep telemetry within its size",
        isShared: true,
        everyMs: 10 * SECOND,
        task: async () => {
          await limitTelemetry({ ...parts, now, disk: () => diskOf(config.data) }, config.telemetry.maxSize);
        },
      },
    ],
    figures: async () => ({ chunks: await parts.telemetry.chunks() }),
  };
}
