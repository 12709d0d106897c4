// What a rule sees of its site at a moment. Whoever runs rules implements it; all of it answers at once, from memory.
import type { CalendarState } from "#core/calendar/calendar-book.ts";
import type { ClaimClass } from "#core/control/claim.ts";
import type { PriceAt } from "#core/energy/price-book.ts";
import type { PlainValue } from "./rule.ts";

interface RuleReading {
  /** In the unit that was asked for. What is no plain value is unknown. */
  readonly value: unknown;
  readonly at: number;
  /** How often it usually comes. */
  readonly usualMs: number | undefined;
}

export interface RuleSample {
  readonly at: number;
  readonly value: unknown;
}

interface SampleQuestion {
  readonly unit: string | undefined;
  readonly from: number;
}

export interface RuleVariable {
  readonly value: PlainValue;
  readonly at: number;
  /** What led to its value, the first cause first. Empty: a person, or nobody knows. */
  readonly causes: readonly string[];
}

export interface RuleControl {
  /** What counts now. Undefined: nobody claims it. */
  readonly value: number | undefined;
  readonly holder: ClaimClass | undefined;
  /** Since when it is so. */
  readonly at: number;
  readonly causes: readonly string[];
}

/** Undefined always means that nobody knows. */
export interface RuleWorld {
  /** Unix milliseconds, as everywhere here. */
  readonly now: number;
  readonly timezone: string;
  readonly location: { readonly latitude: number; readonly longitude: number } | undefined;
  reading(device: string, attribute: string, unit: string | undefined): RuleReading | undefined;
  /** Values of the last time, oldest first: from the one that held at `from`. Windows are among the `ruleReads` of the rule. */
  samples(device: string, attribute: string, given: SampleQuestion): readonly RuleSample[] | undefined;
  isOnline(device: string): boolean | undefined;
  /** Names of active alerts. */
  alerts(device: string): readonly string[] | undefined;
  variable(name: string): RuleVariable | undefined;
  control(device: string, control: string): RuleControl | undefined;
  /** What a calendar of the site says at any moment. */
  calendar(name: string, at: number): CalendarState | undefined;
  /** What a kilowatt-hour costs at any moment, in the currency of the site's tariff. */
  readonly price: PriceAt;
  /** The first time of a cron expression after this one, in the time zone of the site. */
  nextCron(expression: string, after: number): number | undefined;
}

/** Stored telemetry of one attribute, in the order of time. */
export type RuleHistory = (
  attribute: { readonly device: string; readonly attribute: string; readonly unit: string | undefined },
  from: number,
  to: number,
) => readonly RuleSample[] | undefined;
