// What a device signs to use a passkey, once. A challenge proves by itself that it was made here, for what and until when, so asking
// for one stores nothing. Only one that was used is stored, until it ends, so that it is not used again.
import { timingSafeEqual } from "node:crypto";
import { type Instant, instant } from "#core/time/instant.ts";
import type { UsedChallenge } from "#service/ports/passkey-store.ts";
import type { Needs } from "#service/ports.ts";

const LIFETIME_MS = 300_000;
const RANDOM_BYTES = 16;
const PAYLOAD_BYTES = RANDOM_BYTES + 8;

/** What it is for: a sign-in, or a registration of one person. */
export type ChallengePurpose = "sign-in" | `registration ${string}`;

type ChallengeNeeds = Pick<Needs, "seal" | "now" | "randomBytes">;

export function newChallenge({ seal, now, randomBytes }: ChallengeNeeds, purpose: ChallengePurpose): string {
  const until = Buffer.alloc(8);
  until.writeBigUInt64BE(BigInt(now() + LIFETIME_MS));
  const payload = Buffer.concat([randomBytes(RANDOM_BYTES), until]);
  return Buffer.concat([payload, proofOf(seal, payload, purpose)]).toString("base64url");
}

/** Undefined: not made here, for something else, or too old. */
export function readChallenge(
  { seal, now }: Omit<ChallengeNeeds, "randomBytes">,
  purpose: ChallengePurpose,
  given: Uint8Array,
): UsedChallenge | undefined {
  const bytes = Buffer.from(given);
  const [payload, proof] = [bytes.subarray(0, PAYLOAD_BYTES), bytes.subarray(PAYLOAD_BYTES)];
  const expected = proofOf(seal, payload, purpose);
  if (proof.length !== expected.length || !timingSafeEqual(proof, expected)) return undefined;
  const expiresAt: Instant = instant(Number(payload.readBigUInt64BE(RANDOM_BYTES)));
  return now() < expiresAt ? { key: payload.toString("base64"), expiresAt } : undefined;
}

function proofOf(seal: Needs["seal"], payload: Uint8Array, purpose: ChallengePurpose): Uint8Array {
  return seal.fingerprint(Buffer.from(payload).toString("base64"), `passkey challenge for ${purpose}`);
}
