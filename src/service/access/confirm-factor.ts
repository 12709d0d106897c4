// The first code of an app makes it the second factor of a person, and gives recovery codes for when the app is gone.
import { formatRecoveryCode, parseGivenCode, RECOVERY_CODE_BYTES, RECOVERY_CODES } from "#core/access/second-factor.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type CheckFactorNeeds, stepOfFirstCode } from "#service/access/check-second-factor.ts";
import { accessTarget } from "#service/access/grant.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface ConfirmNeeds extends CheckFactorNeeds, Pick<Needs, "newId" | "randomBytes"> {}

interface Asked {
  readonly id: string;
  readonly code: string;
  /** What has to be done before the app counts, once; false: it was done already. */
  readonly before?: () => Promise<boolean>;
}

/** The recovery codes, which are in this answer and nowhere else. Undefined where nothing is offered to the person, or no more. */
export async function confirmFirstCode(
  needs: ConfirmNeeds,
  call: Call,
  { id, code, before }: Asked,
): Promise<readonly string[] | "wrong" | undefined> {
  const factor = await needs.secondFactors.find(id);
  if (factor === undefined || factor.confirmedAt !== undefined) return undefined;
  const step = await stepOfFirstCode(needs, factor, code);
  if (step === undefined) return "wrong";
  if (before !== undefined && !(await before())) return undefined;
  const codes = newRecoveryCodes(needs);
  const { tokenName: account } = call.caller;
  const confirmed = { accountId: id, step, at: needs.now(), recoveryHashes: codes.map(hashOfShown) };
  const trail = auditTrail(needs, call, {
    target: accessTarget({ id, sites: call.caller.sites }),
    details: { account },
  });
  return (await needs.secondFactors.confirm(confirmed, trail)) ? codes : undefined;
}

export function newRecoveryCodes({ randomBytes }: Pick<Needs, "randomBytes">): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => formatRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)));
}

export const hashOfShown = (shown: string): string => secretKey(parseGivenCode(shown)?.code ?? shown);
