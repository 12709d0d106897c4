import type { ClaimKind } from "#core/control/claim.ts";
import type { Action } from "./rule.ts";

type Content<Kind extends Action["kind"]> = Omit<
  Extract<Action, { readonly kind: Kind }>,
  "place" | "value" | "values"
>;

/** What a rule wants to be done. Whoever does it stores it together with the state of the rule first. */
export type RuleEffect = {
  /** The same effect has the same key: it is done once. A claim with the key of another one renews it. */
  readonly key: string;
  /** The runs that led to it, this one last. */
  readonly causes: readonly string[];
} & (
  | {
      readonly kind: "claim";
      readonly device: string;
      readonly control: string;
      readonly claim: ClaimKind;
      readonly value: number | "unlimited";
      readonly leaseUntil: number;
      readonly reason: string;
    }
  | { readonly kind: "release"; readonly device: string; readonly control: string; readonly claim: ClaimKind }
  | Content<"execute">
  | Content<"notify">
  | { readonly kind: "set"; readonly variable: string; readonly value: string | number | boolean }
  | { readonly kind: "report"; readonly problem: "loop" | "rate_limit"; readonly message: string }
);
