// Sign-in by an OpenID provider: the browser goes there and comes back. The page itself never sees what proves who the person is.
import { ApiError, UnreachableError } from "#client/errors.ts";
import type { Answers, Bodies } from "#client/resources.ts";
import { perform } from "./connection.ts";

export type SignInProvider = NonNullable<Answers["findSignInProvider"]["provider"]>;

const REASONS = ["suspended", "groups", "new", "mail", "mail_taken", "taken", "declined", "refused", "over"] as const;
/** Why nobody is signed in. `over`: it was begun elsewhere, or too long ago. `away`: the provider does not do its part. */
export type ProviderProblem = (typeof REASONS)[number] | "away" | "limited" | "unreachable" | "other";

/** What became of the last attempt to link an account, until the page is left. */
let linkOutcome = $state<ProviderProblem | "linked" | undefined>();

export const provider = {
  get linkOutcome(): ProviderProblem | "linked" | undefined {
    return linkOutcome;
  },

  noteLink(outcome: ProviderProblem | "linked"): void {
    linkOutcome = outcome;
  },

  /** Leaves the page for the provider, to link the own account. Throws what is wrong with the proof. */
  async beginLink(proof: Bodies["beginProviderLink"]): Promise<void> {
    location.assign((await perform("beginProviderLink", { body: proof })).url);
  },

  /** Undefined: there is none, or the server does not say so now. */
  async find(): Promise<SignInProvider | undefined> {
    try {
      return (await perform("findSignInProvider")).provider ?? undefined;
    } catch {
      return undefined;
    }
  },

  /** Leaves the page for the provider. */
  async begin(): Promise<ProviderProblem | undefined> {
    try {
      location.assign((await perform("createProviderSignIn")).url);
      return undefined;
    } catch (error) {
      return providerProblemOf(error);
    }
  },

  /** Leaves the page for the provider's own sign-out. False: it has none. */
  async signOut(): Promise<boolean> {
    try {
      const { url } = await perform("findProviderSignOut");
      if (url !== null) location.assign(url);
      return url !== null;
    } catch {
      return false;
    }
  },
};

export function providerProblemOf(error: unknown): ProviderProblem {
  if (error instanceof UnreachableError) return "unreachable";
  if (!(error instanceof ApiError)) return "other";
  const reason = REASONS.find((one) => one === error.details?.["reason"]);
  if (reason !== undefined) return reason;
  if (error.status === 401) return "over";
  if (error.status === 429) return "limited";
  return error.code === "provider_unreachable" ? "away" : "other";
}
