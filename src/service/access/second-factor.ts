// What people do with their own second factor, and how somebody above helps whose app and recovery codes are gone.
import { refuse } from "#core/app-error.ts";
import { foundAccount, requireAbove } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type CheckFactorNeeds, type CheckSecondFactor, requireCode } from "#service/access/check-second-factor.ts";
import { confirmFirstCode, hashOfShown, newRecoveryCodes } from "#service/access/confirm-factor.ts";
import { accessTarget } from "#service/access/grant.ts";
import { type OwnAccountNeeds, ownAccount, requirePresence } from "#service/access/own-account.ts";
import { type NewFactor, newFactor } from "#service/access/second-step.ts";
import type { SecondFactor } from "#service/ports/second-factor-store.ts";
import type { Call } from "#service/ports.ts";

export interface SecondFactorNeeds extends OwnAccountNeeds, CheckFactorNeeds {
  readonly checkSecondFactor: CheckSecondFactor;
}

interface Proof {
  /** Undefined: of who signs in by a provider. */
  readonly password: string | undefined;
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
  password: string | undefined,
): Promise<NewFactor> {
  const account = await ownAccount(needs, call.caller);
  await requirePresence(needs, call, { account, password });
  const made = await newFactor(needs, account.id);
  if (made === undefined) throw refuse("conflict", "there is a second factor already; switch it off first");
  return made;
}

/** The recovery codes are in this answer and nowhere else. */
export async function confirmSecondFactor(
  needs: SecondFactorNeeds,
  call: Call,
  code: string,
): Promise<readonly string[]> {
  const { id } = await ownAccount(needs, call.caller);
  const codes = await confirmFirstCode(needs, call, { id, code });
  if (codes === "wrong")
    throw refuse("invalid_body", "the code is wrong or too old; take the next one", { pointer: "/code" });
  if (codes === undefined)
    throw refuse("conflict", "no second factor waits to be confirmed; begin with POST /v3/account/second_factor");
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

/** With the password, or a sign-in a moment ago, and a code, so that an open browser is not enough. */
async function prove(needs: SecondFactorNeeds, call: Call, { password, code }: Proof) {
  const account = await ownAccount(needs, call.caller);
  if (!account.hasSecondFactor) throw none();
  await requirePresence(needs, call, { account, password });
  await requireCode(needs, account.id, code);
  return account;
}

const none = (): Error => refuse("not_found", "there is no second factor");
