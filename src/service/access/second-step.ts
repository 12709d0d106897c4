// The second step of a sign-in: after the right password, or the way back from a provider, of a person who has a second factor or has to
// have one. It is bound to the first by a text of 256 random bits that only the browser of the first step has.
import { highestLevel } from "#core/access/caller.ts";
import { type AccessLevel, allows } from "#core/access/level.ts";
import { FACTOR_SECRET_BYTES } from "#core/access/second-factor.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { base32 } from "#core/text/base32.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { factorContext } from "#service/access/check-second-factor.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { Needs } from "#service/ports.ts";

const LIFETIME_MS = 600_000;
const STEP_BYTES = 32;
/** One more ends the person's oldest. */
const MAX_PER_PERSON = 8;

/** What a sign-in waits for. */
export interface SecondStep {
  /** In this answer and nowhere else. */
  readonly step: string;
  readonly expiresAt: Instant;
  /** For a person who has to have a second factor and has none: the code is the first of a new app. */
  readonly enrolment: NewFactor | undefined;
}

/** For an app that makes codes. It is in one answer and nowhere else. */
export interface NewFactor {
  readonly secret: string;
  readonly mail: string;
}

export type FactorNeeds = Pick<Needs, "accounts" | "secondFactors" | "seal" | "now" | "randomBytes">;

export interface BeginStepNeeds extends FactorNeeds {
  /** People of this level anywhere, or of a higher one, need a second factor. Undefined: whoever wants one has one. */
  readonly secondFactorFrom: AccessLevel | undefined;
}

/** Undefined for a person without a second factor who needs none. */
export async function beginSecondStep(
  needs: BeginStepNeeds,
  { id, hash, ...access }: Pick<TokenRecord, "id" | "hash" | "level" | "siteLevels">,
  providerSession?: string,
): Promise<SecondStep | undefined> {
  const factor = await needs.secondFactors.find(id);
  const hasOne = factor?.confirmedAt !== undefined;
  if (!hasOne && !isRequired(needs, access)) return undefined;
  const enrolment = hasOne ? undefined : await newFactor(needs, id);
  const step = Buffer.from(needs.randomBytes(STEP_BYTES)).toString("base64url");
  const createdAt = needs.now();
  const expiresAt = instant(createdAt + LIFETIME_MS);
  const stored = { hash: secretKey(step), accountId: id, tokenHash: hash, createdAt, expiresAt, providerSession };
  await needs.secondFactors.insertStep(stored, MAX_PER_PERSON);
  return { step, expiresAt, enrolment };
}

/** In place of one that was not confirmed. Undefined where one is confirmed already, or the person is gone. */
export async function newFactor(needs: FactorNeeds, id: string): Promise<NewFactor | undefined> {
  const account = await needs.accounts.find(id);
  const secret = needs.randomBytes(FACTOR_SECRET_BYTES);
  const sealed = needs.seal.seal(Buffer.from(secret).toString("base64"), factorContext(id));
  if (account === undefined || !(await needs.secondFactors.offer(id, sealed))) return undefined;
  return { secret: base32(secret), mail: account.mail };
}

function isRequired(
  { secondFactorFrom }: Pick<BeginStepNeeds, "secondFactorFrom">,
  access: Pick<TokenRecord, "level" | "siteLevels">,
): boolean {
  return secondFactorFrom !== undefined && allows(highestLevel(access), secondFactorFrom);
}
