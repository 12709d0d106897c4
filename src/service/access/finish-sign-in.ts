import { AppError, refuse } from "#core/app-error.ts";
import type { Authenticator, TokenHolder } from "#service/access/authenticator.ts";
import { type CheckSecondFactor, wrongCode } from "#service/access/check-second-factor.ts";
import { type ConfirmNeeds, confirmFirstCode } from "#service/access/confirm-factor.ts";
import { sameHash, secretKey } from "#service/access/hash-secret.ts";
import type { SignInProvider } from "#service/access/provider-round-trip.ts";
import { beginSession, formerSession, type SignedIn, type SignInNeeds } from "#service/access/sign-in.ts";
import type { SignInStep } from "#service/ports/second-factor-store.ts";
import type { Call } from "#service/ports.ts";

export interface SecondStepNeeds extends SignInNeeds, ConfirmNeeds {
  readonly checkSecondFactor: CheckSecondFactor;
  readonly signInProvider: Pick<SignInProvider, "sessionLifetimeMs"> | undefined;
}

interface Finished extends SignedIn {
  /** Of a second factor that the sign-in began with. They are in this answer and nowhere else. */
  readonly recoveryCodes: readonly string[] | undefined;
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
): Promise<Finished> {
  const step = await needs.secondFactors.findStep(secretKey(given.step));
  if (step === undefined || needs.now() >= step.expiresAt) throw over();
  const holder = await holderOf(needs.authenticator, step.accountId);
  // A new password has ended it, perhaps on another node a moment ago.
  if (!sameHash(holder.token.hash, step.tokenHash)) throw over();
  const account = await needs.accounts.find(step.accountId);
  if (account === undefined) throw over();
  const factor = await needs.secondFactors.find(account.id);
  const { kind, recoveryCodes } =
    factor !== undefined && factor.confirmedAt === undefined
      ? await enrol(needs, { ...call, caller: holder.caller }, { step, code: given.code })
      : { kind: await checkAndTake(needs, step, given.code), recoveryCodes: undefined };
  const former = await formerSession(needs, given.formerCookie);
  const first = account.provider === undefined ? "password" : "provider";
  const by = kind === "app" ? (`${first} and app` as const) : (`${first} and recovery code` as const);
  // Groups at a provider are read at sign-ins only, so its sessions are short.
  const longest = account.provider === undefined ? undefined : needs.signInProvider?.sessionLifetimeMs;
  const lifetimeMs = Math.min(needs.sessionLifetimeMs, longest ?? Number.POSITIVE_INFINITY);
  const { userAgent } = given;
  const { providerSession } = step;
  const session = { ...holder, lifetimeMs, by, replaces: former?.sessionId, userAgent, providerSession };
  return { ...(await beginSession(needs, call, session)), recoveryCodes };
}

async function checkAndTake(
  needs: SecondStepNeeds,
  { hash, accountId }: SignInStep,
  code: string,
): Promise<"app" | "recovery"> {
  const kind = await needs.checkSecondFactor(accountId, code);
  if (!(await needs.secondFactors.takeStep(hash, needs.now()))) throw over();
  return kind;
}

/** The person has to have a second factor, and begins with it here. */
async function enrol(
  needs: SecondStepNeeds,
  call: Call,
  { step, code }: { readonly step: SignInStep; readonly code: string },
) {
  const confirm = { ...call, operation: "confirmSecondFactor" };
  const takeStep = () => needs.secondFactors.takeStep(step.hash, needs.now());
  const recoveryCodes = await confirmFirstCode(needs, confirm, { id: step.accountId, code, before: takeStep });
  if (recoveryCodes === "wrong") throw wrongCode();
  if (recoveryCodes === undefined) throw over();
  return { kind: "app" as const, recoveryCodes };
}

async function holderOf(authenticator: Pick<Authenticator, "holder">, accountId: string): Promise<TokenHolder> {
  try {
    return await authenticator.holder(accountId);
  } catch (error) {
    throw error instanceof AppError && error.code === "unauthorized" ? over() : error;
  }
}

function over(): Error {
  return refuse("unauthorized", "this sign-in is over; begin again", { pointer: "/step" });
}
