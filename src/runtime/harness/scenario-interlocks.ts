// The interlocks of a scenario: what they demand now, by the evaluator of a gateway.
import type { Command } from "#core/blueprint/blueprint.ts";
import { commandedValues } from "#core/control/command-claim.ts";
import type { Control } from "#core/control/control.ts";
import { boundsOf, isAllowed, type LimitClaim } from "#core/interlock/apply-limits.ts";
import { evaluateInterlock, type Memory } from "#core/interlock/evaluate-interlock.ts";
import { interlockClaim } from "#core/interlock/interlock-claim.ts";
import type { Inputs } from "#core/interlock/outcome.ts";
import type { ScenarioInterlock } from "#manifest/scenario/interlocks.ts";
import { interlocked } from "#service/control/interlocked.ts";

interface PlannedCommand {
  readonly command: Command;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export class ScenarioInterlocks {
  readonly #all: ReadonlyMap<string, ScenarioInterlock>;
  readonly #memories = new Map<string, Memory>();
  #limits = new Map<string, LimitClaim[]>();

  constructor(all: ReadonlyMap<string, ScenarioInterlock>) {
    this.#all = all;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  evaluate(inputs: Inputs): void {
    const limits = new Map<string, LimitClaim[]>();
    for (const [name, { interlock, resolved }] of this.#all) {
      const { outcome, memory } = evaluateInterlock(resolved, this.#memories.get(name), inputs);
      if (memory !== undefined) this.#memories.set(name, memory);
      for (const limit of outcome.limits) {
        const control = limit.control.id;
        const claim = interlockClaim({ name, interlock, ...outcome }, { ...limit, control });
        limits.set(control, [...(limits.get(control) ?? []), claim]);
      }
    }
    this.#limits = limits;
  }

  limitsOf(control: string): readonly LimitClaim[] {
    return this.#limits.get(control) ?? [];
  }

  /** The controls that have to change because of an interlock. */
  holding(): readonly string[] {
    return [...this.#limits].flatMap(([control, limits]) =>
      limits.some(({ isHolding }) => isHolding) ? [control] : [],
    );
  }

  /** Why a gateway would refuse the command; undefined: it would not. */
  refusal(controls: ReadonlyMap<string, Control>, plan: PlannedCommand, now: number): string | undefined {
    for (const { control, value } of commandedValues(controls, plan)) {
      const limits = this.limitsOf(control.id);
      if (!isAllowed(control, limits, { value, now }))
        return interlocked(control, value, boundsOf(control, limits, now)).message;
    }
    return undefined;
  }
}
