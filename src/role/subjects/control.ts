import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { SharedChore, Subject } from "#role/subject.ts";
import { controlOperations } from "#service/control/control-operations.ts";
import { interlockOperations } from "#service/interlock/interlock-operations.ts";

/** How long the history of controls is kept. */
const HISTORY_MS = 90 * 86_400_000;

/** Controls the devices that are connected here. A cloud also shows what its gateways report, and carries claims to them. */
export const control = (parts: Parts): Subject => ({
  operations: [
    ...controlOperations({ ...parts, controlling: parts.cloudControls ?? parts.controlling }),
    ...interlockOperations(parts),
  ],
  chores: [
    { name: "control devices", everyMs: SECOND, task: () => parts.controlling.turn() },
    {
      name: "prune the history of controls",
      isShared: true,
      everyMs: 10 * MINUTE,
      task: () => untilDone(() => parts.controls.prune(ago(parts.clock, HISTORY_MS))),
    },
    ...lapsing(parts),
  ],
});

const lapsing = ({ gatewayChanges }: Parts): readonly SharedChore[] =>
  gatewayChanges === undefined
    ? []
    : [
        {
          name: "end claims that waited too long for their gateway",
          isShared: true,
          everyMs: SECOND,
          task: () => untilDone(() => gatewayChanges.endLapsed()),
        },
      ];
