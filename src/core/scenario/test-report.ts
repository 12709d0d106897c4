// The result of tests of blueprints and rules: plain data, so that threads can pass it on and it can be written as JSON.
import type { Position } from "#core/blueprint/issue.ts";

export interface TestReport {
  readonly scenarios: readonly ScenarioReport[];
  /** What is wrong with a blueprint as a whole: commands without a handler and the like. */
  readonly problems: readonly Failure[];
  /** Of a blueprint. */
  readonly coverage: Coverage | undefined;
}

export interface ScenarioReport {
  /** Undefined for the run without a scenario. */
  readonly file: string | undefined;
  readonly name: string;
  readonly failures: readonly Failure[];
  /** What may explain a failure. */
  readonly notes: readonly string[];
  /** Virtual time that passed, in milliseconds. */
  readonly elapsed: number;
  /** Whether the script lived to the end. */
  readonly isWhole: boolean;
  /** What happened before the last failure; all of it where that was asked for. */
  readonly timeline: readonly TimelineEntry[];
  readonly exercised: Exercised;
}

export interface TimelineEntry {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly text: string;
  /** The beginning of a step. */
  readonly isStep: boolean;
}

type FailureKind = "expectation" | "value" | "command" | "lua" | "handler" | "deadline" | "scenario";

export interface Failure {
  readonly kind: FailureKind;
  /** What went wrong, in one sentence. */
  readonly message: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Virtual milliseconds since the start. */
  readonly at?: number;
  /** In the scenario's file. */
  readonly place?: Position;
  /** In the script. */
  readonly script?: { readonly file: string; readonly line: number };
  readonly traceback?: string;
  /** How often the same came, if more than once. */
  readonly count?: number;
}

interface Unmet {
  readonly expected: string;
  readonly actual: string;
  readonly at?: number | undefined;
}

/** An expectation that does not hold. */
export function unmet(place: Position, message: string, { expected, actual, at }: Unmet): Failure {
  return { kind: "expectation", message, expected, actual, place, ...(at === undefined ? {} : { at }) };
}

/** Names that were sent, run and raised. */
interface Exercised {
  readonly telemetry: readonly string[];
  readonly commands: readonly string[];
  readonly alerts: readonly string[];
  /** Commands for which the script had a handler. */
  readonly handlers: readonly string[];
}

export interface Covered {
  readonly done: number;
  readonly all: number;
  readonly missing: readonly string[];
}

export interface Coverage {
  readonly telemetry: Covered;
  readonly commands: Covered;
  readonly alerts: Covered;
}
