import { AppError, refuse } from "#core/app-error.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import type { CheckSecondFactor } from "#service/access/check-second-factor.ts";
import { sameHash, secretKey } from "#service/access/hash-secret.ts";
import { beginSession, formerSession, type SignedIn, type SignInNeeds } from "#service/access/sign-in.ts";
import type { Call } from "#service/ports.ts";

export interface SecondStepNeeds extends SignInNeeds {
  readonly checkSecondFactor: CheckSecondFactor;
}

/** Throws `unauthorized` for a wrong code, and for a step that is over. */
export async function finishSignIn(
  needs: SecondStepNeeds,
  call: Omit<Call, "caller">,
  given: {
    readonly step: string;
    readonly code: string;
    readonly userAgent: string;
    readonly formerCookie: string | undefined;
  },
): Promise<SignedIn> {
  const hash = secretKey(given.step);
  const step = await needs.secondFactors.findStep(hash);
  if (step === undefined || needs.now() >= step.expiresAt) throw over();
  const holder = await holderOf(needs.authenticator, step.accountId);
  // A new password has ended it, perhaps on another node a moment ago.
  if (!sameHash(holder.token.hash, step.tokenHash)) throw over();
  const kind = await needs.checkSecondFactor(step.accountId, given.code);
  if (!(await needs.secondFactors.takeStep(hash, needs.now()))) throw over();
  const former = await formerSession(needs, given.formerCookie);
  const by = kind === "app" ? "password and app" : "password and recovery code";
  const { sessionLifetimeMs: lifetimeMs } = needs;
  const { userAgent } = given;
  const session = { ...holder, lifetimeMs, by, replaces: former?.sessionId, userAgent } as const;
  return await beginSession(needs, call, session);
}

async function holderOf(authenticator: Pick<Authenticator, "holder">, accountId: string): Promise<TokenHolder> {
  try {
    return await authenticator.holder(accountId);
  } catch (error) {
    throw error instanceof AppError && error.code === "unauthorized" ? over() : error;
  }
}

function over(): Error {
  return refuse("unauthorized", "this sign-in is over; begin again with mail address and password", {
    pointer: "/step",
  });
}
