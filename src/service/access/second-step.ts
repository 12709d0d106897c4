// The second step of a sign-in: after the right password of a person who has a second factor. It is bound to the first by a text
// of 256 random bits that only the browser of the first step has.
import type { TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";
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
}

/** Undefined for a person without a second factor. */
export async function beginSecondStep(
  needs: Pick<Needs, "secondFactors" | "now" | "randomBytes">,
  { id, hash }: Pick<TokenRecord, "id" | "hash">,
): Promise<SecondStep | undefined> {
  const factor = await needs.secondFactors.find(id);
  if (factor?.confirmedAt === undefined) return undefined;
  const step = Buffer.from(needs.randomBytes(STEP_BYTES)).toString("base64url");
  const createdAt = needs.now();
  const expiresAt = instant(createdAt + LIFETIME_MS);
  const stored = { hash: secretKey(step), accountId: id, tokenHash: hash, createdAt, expiresAt };
  await needs.secondFactors.insertStep(stored, MAX_PER_PERSON);
  return { step, expiresAt };
}
