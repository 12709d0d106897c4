import { SECOND } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { backupOperations } from "#service/system/backup-operations.ts";

export const backups = (parts: Parts): Subject => ({
  operations: backupOperations(parts),
  chores: [{ name: "make the scheduled backup", everyMs: 10 * SECOND, task: () => parts.backups.runDue() }],
});
