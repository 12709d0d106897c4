import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { bulkOperations } from "#service/bulk/bulk-operations.ts";
import { createBulkRunner } from "#service/bulk/bulk-runner.ts";
import { cancelExecution } from "#service/command/cancel-execution.ts";
import { commandOperations } from "#service/command/command-operations.ts";
import { createExecution } from "#service/command/create-execution.ts";
import { scheduleOperations } from "#service/schedule/schedule-operations.ts";
import { createScheduleRunner } from "#service/schedule/schedule-runner.ts";

/** How long bulk commands are kept after their end. */
const KEEP_BULKS_MS = 90 * 86_400_000;

export function commands(parts: Parts): Subject {
  const { bulks, clock, dispatcher, executions, nodes } = parts;
  const runner = createBulkRunner({
    ...parts,
    execute: (call, input) => createExecution(parts, call, input),
    cancel: (call, which) => cancelExecution(parts, call, which),
  });
  const schedules = createScheduleRunner(parts);
  return {
    operations: [...commandOperations(parts), ...bulkOperations(parts), ...scheduleOperations(parts)],
    chores: [
      { name: "run bulk commands", isShared: true, everyMs: SECOND, task: (stopping) => runner.run(stopping) },
      { name: "run scheduled commands", isShared: true, everyMs: SECOND, task: () => schedules.runDue() },
      {
        name: "prune bulk commands",
        isShared: true,
        everyMs: 10 * MINUTE,
        task: () => untilDone(() => bulks.prune(ago(clock, KEEP_BULKS_MS))),
      },
      {
        name: "sweep executions",
        isShared: true,
        everyMs: MINUTE,
        task: () => untilDone(() => executions.sweep(clock.earliest())),
      },
      ...(nodes.isShared
        ? [
            {
              name: "end overdue executions",
              isShared: true,
              everyMs: SECOND,
              task: () => dispatcher.endOverdue(),
            } as const,
          ]
        : []),
    ],
    figures: async () => ({ openExecutions: dispatcher.openCount }),
  };
}
