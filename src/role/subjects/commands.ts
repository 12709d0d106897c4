import { MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { commandOperations } from "#service/command/command-operations.ts";

export function commands(parts: Parts): Subject {
  const { clock, dispatcher, executions, nodes } = parts;
  return {
    operations: commandOperations(parts),
    chores: [
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
