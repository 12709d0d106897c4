// What a scenario needs of the rule that it tests, whatever the rule is written in.
import type { RuleEffect } from "#core/rule/rule-effect.ts";
import type { RuleTrace } from "#core/rule/rule-trace.ts";
import type { ClaimedByRule } from "./scenario-site.ts";

export interface ExecutionEnd {
  readonly executionId: string;
  readonly device: string;
  readonly command: string;
  readonly isSuccess: boolean;
  readonly causes: readonly string[];
}

export interface RequestOfRule {
  readonly method: string;
  /** Without login. */
  readonly url: string;
  readonly body: string;
}

/** What came of the rule, as it comes. */
export interface RuleSink {
  /** Commands, messages, variables and reports. Claims are asked for. */
  effect(effect: RuleEffect): void;
  /** A run began. It may come again with the same id when more is known. */
  run(trace: Pick<RuleTrace, "id" | "outcome" | "branch" | "trigger" | "why">): void;
  log(severity: string, text: string): void;
  request(request: RequestOfRule): void;
  explain(text: string): void;
  error(message: string): void;
}

export interface TestedRule {
  /** The gateway begins, for the first time or after a restart. */
  begin(): Promise<void>;
  /** The gateway ends. What is stored stays. */
  end(): void;
  /** Something has changed, or a time is due. */
  tick(): Promise<void>;
  /** Unix milliseconds; undefined: only a change can make it do something. */
  nextDue(): number | undefined;
  ended(end: ExecutionEnd): Promise<void>;
  readonly claimed: ClaimedByRule;
  /** Undefined: it has no conditions. */
  isOn(): boolean | undefined;
  stored(key: string): string | undefined;
}
