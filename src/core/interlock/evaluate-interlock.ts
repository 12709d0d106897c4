// What an interlock demands now. Pure: the latest values with their times and what it remembers of the last time go in; limits
// of controls, the reason and what to remember come out.
import { type ConditionMemory, evaluateCondition } from "./evaluate-condition.ts";
import { type DamagedMemory, evaluateDamaged } from "./evaluate-damaged.ts";
import { evaluateShared, type SharedMemory } from "./evaluate-shared.ts";
import { evaluateGridSignal, type GridMemory } from "./grid-signal.ts";
import type { Inputs, Outcome } from "./outcome.ts";
import type { Resolved } from "./resolve-interlock.ts";

export type Memory = ConditionMemory | SharedMemory | GridMemory | DamagedMemory;

/** `memory` is that of the last evaluation of the same document; undefined at the start, and as long as nothing is known. */
export function evaluateInterlock(
  resolved: Resolved,
  memory: Memory | undefined,
  inputs: Inputs,
): { readonly outcome: Outcome; readonly memory: Memory | undefined } {
  switch (resolved.kind) {
    case "condition":
      return evaluateCondition(resolved, memory?.kind === "condition" ? memory : undefined, inputs);
    case "grid_signal":
      return evaluateGridSignal(resolved, memory?.kind === "grid" ? memory : undefined, inputs);
    case "damaged":
      return evaluateDamaged(resolved, memory?.kind === "damaged" ? memory : undefined, inputs);
    case "connection":
    case "circuits":
      return evaluateShared(resolved, memory?.kind === "shared" ? memory : undefined, inputs);
  }
}
