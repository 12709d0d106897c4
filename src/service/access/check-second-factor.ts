// Whether a code is one of a person's second factor. Each code works once, on all nodes together and after a restart.
import { parseGivenCode } from "#core/access/second-factor.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { type AttemptLimit, type AttemptLimits, tooManyAttempts } from "#service/access/attempt-limits.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import { matchingStep } from "#service/access/totp.ts";
import type { SecondFactor } from "#service/ports/second-factor-store.ts";
import type { Needs } from "#service/ports.ts";

/** Of a million codes three are right at a time: who knows the password and goes on guessing finds one in 20 years. */
const OF_PERSON: AttemptLimit = { name: "second factor", most: 5, windowMs: 15 * 60_000 };
const OF_DAY: AttemptLimit = { name: "second factor of a day", most: 30, windowMs: 86_400_000 };

/** Which kind of code it was. Throws `unauthorized`, or `too_many_sign_ins` without looking at the code. */
export type CheckSecondFactor = (accountId: string, text: string) => Promise<"app" | "recovery">;

export interface CheckFactorNeeds extends Pick<Needs, "secondFactors" | "seal" | "now"> {
  readonly attemptLimits: AttemptLimits;
}

export function createSecondFactorCheck(needs: CheckFactorNeeds): CheckSecondFactor {
  return async (accountId, text) => {
    const given = parseGivenCode(text);
    if (given === undefined) throw wrongCode();
    if (given.kind === "recovery") {
      // Too many to guess, so they have no limit of the person: who guesses codes of the app keeps nobody out for good.
      if (!(await needs.secondFactors.spend(accountId, { recoveryHash: secretKey(given.code) }))) throw wrongCode();
      return "recovery";
    }
    const factor = await needs.secondFactors.find(accountId);
    const forgive = await countGuess(needs, accountId);
    const step = factor === undefined ? undefined : stepOf(needs, factor, given.code);
    if (step === undefined || !(await needs.secondFactors.spend(accountId, { step }))) throw wrongCode();
    await forgive();
    return "app";
  };
}

/** The step of a code that confirms a second factor; undefined for a wrong one. */
export async function stepOfFirstCode(
  needs: CheckFactorNeeds,
  factor: SecondFactor,
  text: string,
): Promise<number | undefined> {
  const given = parseGivenCode(text);
  const forgive = await countGuess(needs, factor.accountId);
  const step = given?.kind === "app" ? stepOf(needs, factor, given.code) : undefined;
  if (step !== undefined) await forgive();
  return step;
}

/** A wrong code is a mistake in the form, not the end of the session. */
export async function requireCode(
  { checkSecondFactor }: { readonly checkSecondFactor: CheckSecondFactor },
  id: string,
  code = "",
): Promise<void> {
  try {
    await checkSecondFactor(id, code);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "unauthorized") throw error;
    throw refuse("invalid_body", error.message, { pointer: "/code" });
  }
}

/** Binds a sealed secret to its person. */
export const factorContext = (accountId: string): string => `second factor ${accountId}`;

/** Counted before the code is looked at, so many at once are no way around the limit. */
async function countGuess({ attemptLimits }: CheckFactorNeeds, accountId: string): Promise<() => Promise<void>> {
  const { over, forgive } = await attemptLimits.note([OF_PERSON, accountId], [OF_DAY, accountId]);
  if (over !== undefined) throw tooManyAttempts("wrong codes for this person", over.wait);
  return forgive;
}

function stepOf(
  { seal, now }: CheckFactorNeeds,
  { accountId, sealedSecret }: SecondFactor,
  code: string,
): number | undefined {
  const secret = openedOrNone(() => seal.open(sealedSecret, factorContext(accountId)));
  return secret === undefined ? undefined : matchingStep(Buffer.from(secret, "base64"), code, now());
}

/** One that was sealed with a key that is lost opens no more: recovery codes still work, and somebody above can reset it. */
function openedOrNone(open: () => string): string | undefined {
  try {
    return open();
  } catch {
    return undefined;
  }
}

export function wrongCode(): AppError {
  return refuse("unauthorized", "the code is wrong, was used before, or is too old; take the next one", {
    pointer: "/code",
  });
}
