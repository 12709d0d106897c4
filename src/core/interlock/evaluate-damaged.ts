// An interlock whose stored document cannot be read. Nobody knows what it says, so the controls that it may have limited are held at
// the safe side that they declare, until somebody sets or removes it.
import type { Control } from "#core/control/control.ts";
import { clamp } from "#core/control/resolve-claims.ts";
import { fixedLimits, type Inputs, type Outcome, sinceOf } from "./outcome.ts";
import type { Resolved, ResolvedLimit } from "./resolve-interlock.ts";

export interface DamagedMemory {
  readonly kind: "damaged";
  readonly state: "damaged";
  readonly since: number;
}

export const DAMAGED = "its stored document is damaged; set it again or remove it";

export function evaluateDamaged(
  { limits }: Extract<Resolved, { readonly kind: "damaged" }>,
  before: DamagedMemory | undefined,
  { now }: Pick<Inputs, "now">,
): { readonly outcome: Outcome; readonly memory: DamagedMemory } {
  const known = { state: "damaged", since: sinceOf(before, "damaged", now) } as const;
  return {
    outcome: { ...known, why: DAMAGED, limits: limits.flatMap(fixedLimits), measured: [] },
    memory: { kind: "damaged", ...known },
  };
}

/** Only the safe value is allowed. A limit at the end of the range would say nothing. */
export function safeLimit(deviceId: string, control: Control): ResolvedLimit {
  const { min, max, safe: side } = control;
  const end = side === "zero" ? 0 : side === "min" ? min : max;
  const safe = clamp(Number.isFinite(end) ? end : 0, { min, max });
  return { deviceId, control, min: safe > min ? safe : undefined, max: safe < max ? safe : undefined };
}
