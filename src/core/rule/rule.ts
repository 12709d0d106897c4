// A declarative rule: what people write as YAML, read by `parseRule` of the manifest layer. Plain data, so that it travels between
// threads. Devices are named as written, by id or slug: whoever runs the rule finds what they mean.
import type { ClaimClass, ClaimKind } from "#core/control/claim.ts";
import type { Direction } from "#core/energy/rates.ts";
import type { MissedRule } from "#core/schedule/schedule.ts";
import type { Weekday } from "#core/time/weekday.ts";

/**
 * What happens to a moment that comes while an earlier run goes on. `single`: it is left out. `restart`: the earlier run ends.
 * `queued`: it waits. `parallel`: both go on.
 */
export const RULE_MODES = ["single", "restart", "queued", "parallel"] as const;
type RuleMode = (typeof RULE_MODES)[number];

export const SEVERITIES = ["info", "warning", "error"] as const;
type Severity = (typeof SEVERITIES)[number];

export const EXECUTION_ENDS = ["success", "error", "any"] as const;
type ExecutionEnd = (typeof EXECUTION_ENDS)[number];

export type PlainValue = string | number | boolean;

/** A number that is written, or taken from somewhere each time it is needed: `from x times + plus`, inside `min` and `max`. */
export type Amount = number | ComputedAmount;

export interface ComputedAmount {
  readonly from:
    | { readonly kind: "variable"; readonly name: string }
    /** What a kilowatt-hour costs now. */
    | { readonly kind: "tariff"; readonly of: Direction }
    /** What a weekly plan holds now. */
    | { readonly kind: "calendar"; readonly name: string }
    | ({ readonly kind: "attribute" } & AttributeRead)
    | { readonly kind: "sum"; readonly of: readonly Amount[] }
    /** What may be taken until the end of the window of the clock, so that the whole window has `limit` on average. */
    | ({ readonly kind: "budget"; readonly everyMs: number; readonly limit: Amount } & AttributeRead);
  readonly times: number;
  readonly plus: number;
  /** It is a multiple of this, the next one towards zero. `min` and `max` come after it. */
  readonly step: number | undefined;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** What it is while nobody knows. Undefined: unknown. */
  readonly unknown: number | undefined;
}

export interface AttributeRead {
  readonly device: string;
  readonly attribute: string;
  /** The unit in which it is compared. Undefined: its own. */
  readonly unit: string | undefined;
  /** Undefined: three times its usual interval, at least 30 s. */
  readonly maxAgeMs: number | undefined;
  /** Not the latest value but what it was on average for so long, or by how much it has changed. */
  readonly over?: { readonly kind: "average" | "change"; readonly ms: number } | undefined;
}

/** Kinds stand alone, so that the compiler can tell them apart. */
type Threshold<Kind extends string> = {
  readonly kind: Kind;
  readonly threshold: Amount;
  readonly hysteresis: number;
};
type Listed<Kind extends string> = { readonly kind: Kind; readonly values: readonly PlainValue[] };

export type Comparison =
  | Threshold<"above">
  | Threshold<"below">
  | { readonly kind: "between"; readonly low: Amount; readonly high: Amount; readonly hysteresis: number }
  | Listed<"equals">
  | Listed<"differs">;

type Combined<Kind extends string> = {
  readonly kind: Kind;
  readonly place: string;
  readonly conditions: readonly Condition[];
};

/** A time of day: by the clock of the site, or by its sun. */
export type DayTime =
  | { readonly kind: "clock"; readonly minutes: number }
  | { readonly kind: "sun"; readonly event: "sunrise" | "sunset"; readonly offsetMs: number };

/** The hours of a day in which energy costs least, or most. */
export interface PricedHours {
  readonly of: Direction;
  readonly rank: "cheapest" | "dearest";
  readonly lengthMs: number;
  /** All of them in a row. */
  readonly isUnbroken: boolean;
  /** When the time begins in which they are looked for. Undefined: when it ended the day before. */
  readonly from: DayTime | undefined;
  readonly before: DayTime;
}

/** Something that is true, false or unknown at every moment. `place` is a JSON pointer into the document. */
export type Condition =
  | Combined<"all">
  | Combined<"any">
  | { readonly kind: "not"; readonly place: string; readonly condition: Condition }
  | ({ readonly kind: "value"; readonly place: string; readonly comparison: Comparison } & AttributeRead)
  | {
      readonly kind: "amount";
      readonly place: string;
      readonly amount: ComputedAmount;
      readonly comparison: Comparison;
    }
  | {
      readonly kind: "stale";
      readonly place: string;
      readonly device: string;
      readonly attribute: string;
      readonly afterMs: number;
    }
  | { readonly kind: "variable"; readonly place: string; readonly name: string; readonly comparison: Comparison }
  | {
      readonly kind: "control";
      readonly place: string;
      readonly device: string;
      readonly control: string;
      readonly comparison: Comparison;
    }
  | {
      readonly kind: "holder";
      readonly place: string;
      readonly device: string;
      readonly control: string;
      readonly holder: ClaimClass | "nobody";
    }
  | { readonly kind: "online"; readonly place: string; readonly device: string; readonly isOnline: boolean }
  /** `alert` undefined: any. */
  | { readonly kind: "alert"; readonly place: string; readonly device: string; readonly alert: string | undefined }
  /** With a comparison: it is on, and its value is so. */
  | {
      readonly kind: "calendar";
      readonly place: string;
      readonly name: string;
      readonly isOn: boolean;
      readonly comparison: Comparison | undefined;
    }
  | { readonly kind: "tariff"; readonly place: string; readonly of: Direction; readonly comparison: Comparison }
  | ({ readonly kind: "hours"; readonly place: string } & PricedHours)
  /** The days are those on which it begins. Undefined: every day. */
  | {
      readonly kind: "time";
      readonly place: string;
      readonly from: DayTime;
      readonly to: DayTime;
      readonly days: readonly Weekday[] | undefined;
    };

/** Calendars: nothing happens while one of them is on. */
type Except = readonly string[] | undefined;

/** Something that happens at a moment, and has no duration. */
export type Moment =
  | {
      readonly kind: "at";
      readonly place: string;
      readonly time: DayTime;
      readonly days: readonly Weekday[] | undefined;
      readonly except?: Except;
    }
  | { readonly kind: "cron"; readonly place: string; readonly expression: string; readonly except?: Except }
  | { readonly kind: "every"; readonly place: string; readonly everyMs: number; readonly except?: Except }
  | {
      readonly kind: "ended";
      readonly place: string;
      readonly device: string;
      readonly command: string | undefined;
      readonly end: ExecutionEnd;
    };

export type ScheduledMoment = Exclude<Moment, { readonly kind: "ended" }>;

export type Action =
  | ClaimAction
  | {
      readonly kind: "execute";
      readonly place: string;
      readonly device: string;
      readonly command: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: "notify";
      readonly place: string;
      readonly text: string;
      readonly title: string | undefined;
      readonly severity: Severity;
      /** What stands in the text in braces, such as `{soc}`. */
      readonly values: readonly (readonly [name: string, value: Amount])[];
    }
  | {
      readonly kind: "set";
      readonly place: string;
      readonly variable: string;
      readonly value: PlainValue | ComputedAmount;
    }
  | { readonly kind: "wait"; readonly place: string; readonly ms: number };

export interface ClaimAction {
  readonly kind: "claim";
  readonly place: string;
  readonly device: string;
  readonly control: string;
  readonly claim: ClaimKind;
  readonly value: Amount | "unlimited";
  readonly leaseMs: number;
  /** Undefined: while the rule is on, and in `else` while it is off. */
  readonly holdMs: number | undefined;
  readonly reason: string | undefined;
}

export interface DeclarativeRule {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly mode: RuleMode;
  /** Any of the conditions of `when`. Undefined: there are only moments. */
  readonly level: Condition | undefined;
  readonly moments: readonly Moment[];
  /** The level has to be true for so long. */
  readonly forMs: number;
  /** Undefined: always true. */
  readonly condition: Condition | undefined;
  readonly thenActions: readonly Action[];
  readonly elseActions: readonly Action[];
  readonly minOnMs: number;
  readonly minOffMs: number;
  readonly missed: MissedRule;
  readonly lateMs: number;
}

export const DEFAULT_LEASE_MS = 60_000;
export const MOST_TRIGGERS = 20;
/** Of one rule, also those inside others. */
export const MOST_RULE_CONDITIONS = 100;
export const DEEPEST_CONDITION = 8;
export const MOST_ACTIONS = 50;
/** Of a sum, and of a message. */
export const MOST_TERMS = 20;
/** Sums in sums. */
export const DEEPEST_AMOUNT = 4;
/** Of averages and changes. */
export const LONGEST_OVER_MS = 7 * 86_400_000;
/** Runs that go on or wait at once. */
export const MOST_RUNS = 10;
export const LONGEST_RULE_TEXT = 1_000;
/** Rules in a row, each started by the one before. */
export const LONGEST_CAUSES = 8;
/** Executions, messages and changes for one target in a minute. */
export const MOST_PER_MINUTE = 12;
export const MOST_TRACES = 100;

export type Branch = "then" | "else";

export const actionsOf = (rule: DeclarativeRule, branch: Branch): readonly Action[] =>
  branch === "then" ? rule.thenActions : rule.elseActions;
