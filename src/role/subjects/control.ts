import { ago, MINUTE, SECOND, untilDone } from "#role/chore-times.ts";
import type { Parts } from "#role/parts.ts";
import type { Subject } from "#role/subject.ts";
import { controlOperations } from "#service/control/control-operations.ts";
import { interlockOperations } from "#service/interlock/interlock-operations.ts";

/** How long the history of controls is kept. */
const HISTORY_MS = 90 * 86_400_000;

export const control = (parts: Parts): Subject => ({
  operations: [...controlOperations(parts), ...interlockOperations(parts)],
  chores: [{ name: "control devices", everyMs: SECOND, task: () => parts.controlling.turn() }, pruning(parts)],
});

/** A cloud shows what its gateways report, and carries claims to them. */
export function controlOfGateways(parts: Parts): Subject {
  const { reportedControls, gatewayChanges } = parts;
  if (reportedControls === undefined) throw new Error("a cloud knows the controls of its gateways");
  return {
    operations: controlOperations({ ...parts, controlling: reportedControls }),
    chores: [
      pruning(parts),
      {
        name: "end claims that waited too long for their gateway",
        isShared: true,
        everyMs: SECOND,
        task: () => untilDone(async () => (await gatewayChanges?.endLapsed()) ?? 0),
      },
    ],
  };
}

const pruning = (parts: Parts) =>
  ({
    name: "prune the history of controls",
    isShared: true,
    everyMs: 10 * MINUTE,
    task: () => untilDone(() => parts.controls.prune(ago(parts.clock, HISTORY_MS))),
  }) as const;
