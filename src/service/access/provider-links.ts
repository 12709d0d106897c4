// An account that was made here, moved to the provider and back. The person proves both: here by password and code, at the provider by
// a sign-in that this session began. A mail address proves nothing. While the link lasts, the provider alone signs the person in and its
// groups decide, as for everybody there; the password is kept for the time after it.

import type { Account } from "#core/access/account.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { foundAccount, requireAbove, storeChange } from "#service/access/accounts.ts";
import { accessFromGroups, noGroup } from "#service/access/admit-person.ts";
import { type CheckSecondFactor, requireCode } from "#service/access/check-second-factor.ts";
import { type OwnAccountNeeds, ownAccount, requirePassword } from "#service/access/own-account.ts";
import {
  type BegunRoundTrip,
  beginRoundTrip,
  finishRoundTrip,
  type ProviderSignInNeeds,
  required,
} from "#service/access/provider-round-trip.ts";
import { type BroughtBack, beginProviderSession } from "#service/access/provider-sign-ins.ts";
import { beginSession, type SignedIn } from "#service/access/sign-in.ts";
import type { Call } from "#service/ports.ts";

export interface ProviderLinkNeeds extends ProviderSignInNeeds, OwnAccountNeeds {
  readonly authenticator: OwnAccountNeeds["authenticator"];
  readonly checkSecondFactor: CheckSecondFactor;
}

interface Proof {
  readonly password: string;
  readonly code: string | undefined;
}

/** Whoever links decides who can sign in as this person: an open browser is not enough. */
export async function beginProviderLink(needs: ProviderLinkNeeds, call: Call, proof: Proof): Promise<BegunRoundTrip> {
  const account = await ownAccount(needs, call.caller);
  required(needs);
  requireUnlinked(account);
  const purpose = purposeOf(call);
  await prove(needs, call, { account, proof });
  return await beginRoundTrip(needs, call, purpose);
}

/** Ends all sessions of the person, and begins one by the provider in this browser. */
export async function linkProvider(
  needs: ProviderLinkNeeds,
  call: Call,
  given: Omit<BroughtBack, "formerCookie">,
): Promise<SignedIn> {
  const before = await ownAccount(needs, call.caller);
  const person = await finishRoundTrip(needs, call, { ...given, purpose: purposeOf(call) }).catch(notOfSession);
  requireUnlinked(before);
  const access = await accessFromGroups(needs, { person, admission: required(needs) });
  if (access === undefined) throw noGroup();
  const other = await needs.accounts.findByProvider(person);
  if (other !== undefined) throw taken();
  const { level, sites, siteLevels = new Map() } = access;
  const provider = { issuer: person.issuer, subject: person.subject };
  await storeChange(needs, call, { before, change: { provider, level, sites, siteLevels } });
  const { userAgent } = given;
  const browser = { replaces: undefined, userAgent, providerSession: person.session };
  return await beginProviderSession(needs, call, { id: before.id, ...browser });
}

/** Ends all sessions of the person, and begins one in this browser. Level and sites stay as the groups gave them last. */
export async function unlinkProvider(
  needs: ProviderLinkNeeds,
  call: Call,
  { proof, userAgent }: { readonly proof: Proof; readonly userAgent: string },
): Promise<SignedIn> {
  const before = await ownAccount(needs, call.caller);
  requireWayBack(before);
  await prove(needs, call, { account: before, proof });
  await storeChange(needs, call, { before, change: { provider: undefined } });
  const holder = await needs.authenticator.holder(before.id);
  const { sessionLifetimeMs: lifetimeMs } = needs;
  const session = { ...holder, lifetimeMs, by: "password", replaces: undefined, userAgent } as const;
  return await beginSession(needs, { ...call, operation: "createSession" }, session);
}

/** For a person whose provider is gone. The person signs in by the own password again. */
export async function unlinkAccount(needs: ProviderLinkNeeds, call: Call, id: string): Promise<Account> {
  const before = await foundAccount(needs, call.caller, id);
  requireAbove(call.caller, before, "end the link to a provider");
  requireWayBack(before);
  await storeChange(needs, call, { before, change: { provider: undefined } });
  return await foundAccount(needs, call.caller, id);
}

async function prove(
  needs: ProviderLinkNeeds,
  call: Call,
  { account, proof }: { readonly account: Account; readonly proof: Proof },
): Promise<void> {
  await requirePassword(needs, call, { mail: account.mail, password: proof.password });
  if (account.hasSecondFactor) await requireCode(needs, account.id, proof.code);
}

/** The way to the provider and back belongs to one session: what another one began is refused. */
function purposeOf({ caller }: Call): { readonly linkOfSession: string } {
  if (caller.sessionId !== undefined) return { linkOfSession: caller.sessionId };
  throw refuse("conflict", "an account is linked on the page, by the person who is signed in there");
}

function requireUnlinked({ provider }: Account): void {
  if (provider !== undefined)
    throw refuse("conflict", "the account is linked to a provider already; end that link first");
}

function requireWayBack({ name, provider, hasPassword }: Account): void {
  if (provider === undefined) throw refuse("not_found", `${name} is not linked to a provider`);
  if (!hasPassword) throw refuse("conflict", `${name} has no other way to sign in: the provider made the account`);
}

/** The session goes on. */
function notOfSession(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== "unauthorized") throw error;
  throw refuse("forbidden", error.message, { reason: "over" });
}

const taken = (): Error =>
  refuse("conflict", "this person of the provider has another account here", { reason: "taken" });
