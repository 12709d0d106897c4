// What people do with their own second factor, and how somebody above helps whose app and recovery codes are gone.
import {
  FACTOR_SECRET_BYTES,
  factorUri,
  formatRecoveryCode,
  parseGivenCode,
  RECOVERY_CODE_BYTES,
  RECOVERY_CODES,
} from "#core/access/second-factor.ts";
import { refuse } from "#core/app-error.ts";
import { base32 } from "#core/text/base32.ts";
import { foundAccount, requireAbove } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import {
  type CheckFactorNeeds,
  type CheckSecondFactor,
  factorContext,
  requireCode,
  stepOfFirstCode,
} from "#service/access/check-second-factor.ts";
import { accessTarget } from "#service/access/grant.ts";
import { secretKey } from "#service/access/hash-secret.ts";
import { type OwnAccountNeeds, ownAccount, requirePassword } from "#service/access/own-account.ts";
import type { SecondFactor } from "#service/ports/second-factor-store.ts";
import type { Call } from "#service/ports.ts";

export interface SecondFactorNeeds extends OwnAccountNeeds, CheckFactorNeeds {
  readonly checkSecondFactor: CheckSecondFactor;
}

interface Proof {
  readonly password: string;
  readonly code: string;
}

/** Undefined where sign-in asks for none. */
export async function ownSecondFactor(needs: SecondFactorNeeds, { caller }: Call): Promise<SecondFactor | undefined> {
  const { id } = await ownAccount(needs, caller);
  const factor = await needs.secondFactors.find(id);
  return factor?.confirmedAt === undefined ? undefined : factor;
}

/** A secret for an app. Sign-in asks for its codes once one has confirmed it. */
export async function offerSecondFactor(
  needs: SecondFactorNeeds,
  call: Call,
  { password, issuer }: { readonly password: string; readonly issuer: string },
): Promise<{ readonly secret: string; readonly uri: string }> {
  const { id, mail } = await ownAccount(needs, call.caller);
  await requirePassword(needs, call, { mail, password });
  const secret = needs.randomBytes(FACTOR_SECRET_BYTES);
  const sealed = needs.seal.seal(Buffer.from(secret).toString("base64"), factorContext(id));
  if (!(await needs.secondFactors.offer(id, sealed)))
    throw refuse("conflict", "there is a second factor already; switch it off first");
  return { secret: base32(secret), uri: factorUri(base32(secret), { issuer, mail }) };
}

/** The recovery codes are in this answer and nowhere else. */
export async function confirmSecondFactor(
  needs: SecondFactorNeeds,
  call: Call,
  code: string,
): Promise<readonly string[]> {
  const account = await ownAccount(needs, call.caller);
  const factor = await needs.secondFactors.find(account.id);
  if (factor === undefined || factor.confirmedAt !== undefined)
    throw refuse("conflict", "no second factor waits to be confirmed; begin with POST /v3/account/second_factor");
  const step = await stepOfFirstCode(needs, factor, code);
  if (step === undefined) throw wrongCodeInForm("the code is wrong or too old; take the next one");
  const codes = newRecoveryCodes(needs);
  const confirmed = { accountId: account.id, step, at: needs.now(), recoveryHashes: codes.map(hashOfShown) };
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  if (!(await needs.secondFactors.confirm(confirmed, trail)))
    throw refuse("conflict", "the second factor was confirmed or withdrawn meanwhile");
  return codes;
}

/** Those from before are worth nothing any more. */
export async function replaceRecoveryCodes(
  needs: SecondFactorNeeds,
  call: Call,
  proof: Proof,
): Promise<readonly string[]> {
  const account = await prove(needs, call, proof);
  const codes = newRecoveryCodes(needs);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  if (!(await needs.secondFactors.replaceRecoveryCodes(account.id, codes.map(hashOfShown), trail))) throw none();
  return codes;
}

export async function removeSecondFactor(needs: SecondFactorNeeds, call: Call, proof: Proof): Promise<void> {
  const account = await prove(needs, call, proof);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  if (!(await needs.secondFactors.remove(account.id, trail))) throw none();
}

/** For a person whose app and recovery codes are gone. */
export async function resetSecondFactor(needs: SecondFactorNeeds, call: Call, id: string): Promise<void> {
  const account = await foundAccount(needs, call.caller, id);
  requireAbove(call.caller, account, "reset the second factor");
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  if (!(await needs.secondFactors.remove(id, trail)))
    throw refuse("not_found", `the account ${id} has no second factor`);
}

/** With the password and a code, so that an open browser is not enough. */
async function prove(needs: SecondFactorNeeds, call: Call, { password, code }: Proof) {
  const account = await ownAccount(needs, call.caller);
  if (!account.hasSecondFactor) throw none();
  await requirePassword(needs, call, { mail: account.mail, password });
  await requireCode(needs, account.id, code);
  return account;
}

function newRecoveryCodes({ randomBytes }: SecondFactorNeeds): readonly string[] {
  return Array.from({ length: RECOVERY_CODES }, () => formatRecoveryCode(randomBytes(RECOVERY_CODE_BYTES)));
}

const hashOfShown = (shown: string): string => secretKey(parseGivenCode(shown)?.code ?? shown);

const none = (): Error => refuse("not_found", "there is no second factor");

/** A mistake in the form, not the end of the session. */
const wrongCodeInForm = (message: string): Error => refuse("invalid_body", message, { pointer: "/code" });
