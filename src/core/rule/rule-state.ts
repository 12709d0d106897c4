// What a rule remembers between two steps. It is stored as JSON; all times are absolute, so a restart changes nothing about what is
// due.
import type { ClaimKind } from "#core/control/claim.ts";
import type { Branch } from "./rule.ts";

/** A run of `then` or `else` that waits, or that waits for its turn. */
export interface Run {
  /** Rule, trigger and time. */
  readonly id: string;
  readonly trigger: string;
  readonly branch: Branch;
  /** It belongs to the conditions of `when`, not to a moment. */
  readonly isLevel: boolean;
  /** It holds claims but repeats nothing else: what was done before is unknown, or was done for the text before an edit. */
  readonly isCareful: boolean;
  /** The action that is next. */
  readonly next: number;
  /** When the wait at `next` is over. Null: it has not begun. */
  readonly dueAt: number | null;
  /** The print of the actions up to `next`. */
  readonly done: string;
  readonly causes: readonly string[];
}

export interface HeldClaim {
  readonly runId: string;
  readonly branch: Branch;
  /** The action that claims. */
  readonly action: number;
  readonly print: string;
  readonly device: string;
  readonly control: string;
  readonly claim: ClaimKind;
  /** Null: while the rule is on. */
  readonly until: number | null;
  /** Null: not yet. */
  readonly sentAt: number | null;
  readonly sent: number | "unlimited" | null;
  readonly causes: readonly string[];
}

export interface RuleState {
  readonly version: 1;
  /** The last step; null: none yet. */
  readonly seenAt: number | null;
  readonly isOn: boolean;
  /** Since when it is on or off; null: it was never on. */
  readonly since: number | null;
  /** Since when the level is true, without the times when it was unknown. */
  readonly trueSince: number | null;
  /** Since when it is unknown. */
  readonly pausedAt: number | null;
  /** The state before was lost: the first start repeats nothing. */
  readonly isCareful: boolean;
  readonly memory: readonly (readonly [print: string, isTrue: boolean])[];
  /** The next time of each scheduled moment; null: none. */
  readonly due: readonly (readonly [print: string, at: number | null])[];
  /** They wait inside an action. */
  readonly runs: readonly Run[];
  /** They wait for their turn. */
  readonly queue: readonly Run[];
  readonly claims: readonly HeldClaim[];
  /** Times of the effects of the last minute, by target. */
  readonly sent: readonly (readonly [target: string, times: readonly number[]])[];
  /** Of the level and of `then`, to notice edits. */
  readonly prints: { readonly level: string; readonly actions: string };
}

export const NEW_STATE: RuleState = {
  version: 1,
  seenAt: null,
  isOn: false,
  since: null,
  trueSince: null,
  pausedAt: null,
  isCareful: false,
  memory: [],
  due: [],
  runs: [],
  queue: [],
  claims: [],
  sent: [],
  prints: { level: "", actions: "" },
};

export const renderRuleState = (state: RuleState): string => JSON.stringify(state);
