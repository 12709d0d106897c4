import type { ReadCalendar } from "#core/calendar/calendar-book.ts";
import type { KnownPrices } from "#core/energy/price-book.ts";
import type { RuleWorld } from "#core/rule/rule-world.ts";
import type { Simulation } from "#core/rule/simulate-rule.ts";
import type { VariableValue } from "#core/rule/site-rule.ts";

/** Stored values of an attribute, oldest first. */
export interface PastColumn {
  readonly device: string;
  readonly attribute: string;
  readonly unit: string | undefined;
  readonly times: Float64Array;
  readonly values: readonly unknown[];
}

/** Plain data, which can travel to another thread. */
export interface SimulationTask extends Pick<RuleWorld, "timezone" | "location"> {
  /** As they are now. */
  readonly calendars: readonly ReadCalendar[];
  /** As they are stored now. Undefined: the site has no tariff, or the rule does not ask. */
  readonly prices: KnownPrices | undefined;
  /** A rule in YAML without errors. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly variables: readonly (readonly [name: string, value: VariableValue])[];
  readonly columns: readonly PastColumn[];
}

/** What the rule would have done. Ends at once, with the reason of the signal, when that fires. */
export type SimulateRule = (task: SimulationTask, signal: AbortSignal) => Promise<Simulation>;
