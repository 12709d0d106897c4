// Passkeys: people sign in with a key that a phone, a computer or a security key keeps, after they have proved to that device who they
// are. So a passkey is two factors by itself, and no password and no code is asked for.
import { isPasskeyHost, MAX_PASSKEYS, type Passkey } from "#core/access/passkey.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { requireOwnSignIn, signsInByProvider } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { type CheckSecondFactor, requireCode } from "#service/access/check-second-factor.ts";
import { accessTarget } from "#service/access/grant.ts";
import { type OwnAccountNeeds, ownAccount, requirePassword } from "#service/access/own-account.ts";
import { newChallenge, readChallenge } from "#service/access/passkey-challenges.ts";
import { beginSession, formerSession, type SignedIn, type SignInNeeds } from "#service/access/sign-in.ts";
import { checkCeremony, isSignedBy, readPublicKey } from "#service/access/webauthn.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface PasskeyNeeds extends OwnAccountNeeds, Pick<Needs, "passkeys" | "seal"> {
  readonly checkSecondFactor: CheckSecondFactor;
}

/** The page that speaks, as its browser sees it. */
export interface OwnPage {
  readonly origin: string;
  readonly host: string;
}

export interface PasskeyOptions {
  readonly challenge: string;
  readonly host: string;
}

interface Spoken {
  readonly clientData: Uint8Array;
  readonly authenticatorData: Uint8Array;
}

/** Who may add a key is who could sign in without it: an open browser is not enough. */
export async function offerPasskey(
  needs: PasskeyNeeds,
  call: Call,
  { page, password, code }: { readonly page: OwnPage; readonly password: string; readonly code: string | undefined },
): Promise<
  PasskeyOptions & {
    readonly account: { readonly id: string; readonly name: string; readonly mail: string };
    readonly known: readonly string[];
  }
> {
  const account = await ownAccount(needs, call.caller);
  requirePasskeyHost(page);
  if (account.provider !== undefined) throw signsInByProvider();
  await requirePassword(needs, call, { mail: account.mail, password });
  if (account.hasSecondFactor) await requireCode(needs, account.id, code);
  const known = (await needs.passkeys.ofAccount(account.id)).map(({ id }) => id);
  return { challenge: newChallenge(needs, `registration ${account.id}`), host: page.host, account, known };
}

export async function addPasskey(
  needs: PasskeyNeeds,
  call: Call,
  given: Spoken & {
    readonly page: OwnPage;
    readonly id: string;
    readonly name: string;
    readonly publicKey: Uint8Array;
  },
): Promise<Passkey> {
  const { page, id, name, publicKey } = given;
  const account = await ownAccount(needs, call.caller);
  requirePasskeyHost(page);
  const checked = checkCeremony({ type: "webauthn.create", ...page }, given);
  const challenge = checked && readChallenge(needs, `registration ${account.id}`, checked.challenge);
  if (checked === undefined || challenge === undefined) throw notAdded();
  if (readPublicKey(publicKey) === undefined)
    throw refuse("invalid_body", "the key is of none of the kinds that were asked for", { pointer: "/public_key" });
  const at = needs.now();
  const passkey = {
    ...{ id, accountId: account.id, name, host: page.host, publicKey, useCount: checked.useCount },
    ...{ createdAt: at, lastUsedAt: undefined },
  };
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name, name } });
  if (!(await needs.passkeys.insert({ passkey, challenge, most: MAX_PASSKEYS }, trail))) throw notAdded();
  return passkey;
}

export async function ownPasskeys(needs: PasskeyNeeds, { caller }: Call): Promise<readonly Passkey[]> {
  const { id } = await ownAccount(needs, caller);
  return await needs.passkeys.ofAccount(id);
}

export async function renamePasskey(
  needs: PasskeyNeeds,
  call: Call,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<Passkey> {
  const account = await ownAccount(needs, call.caller);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name, name } });
  if (!(await needs.passkeys.rename({ accountId: account.id, id, name }, trail))) throw unknown(id);
  const found = await needs.passkeys.find(id);
  if (found === undefined) throw unknown(id);
  return found;
}

export async function deletePasskey(needs: PasskeyNeeds, call: Call, id: string): Promise<void> {
  const account = await ownAccount(needs, call.caller);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  if (!(await needs.passkeys.delete({ accountId: account.id, id }, trail))) throw unknown(id);
}

/** Anybody may ask: nothing is stored, and the answer names nobody. */
export function offerSignIn(needs: PasskeyNeeds, page: OwnPage): PasskeyOptions {
  requirePasskeyHost(page);
  return { challenge: newChallenge(needs, "sign-in"), host: page.host };
}

/** Throws `unauthorized` for whatever is not accepted, always in the same words. */
export async function signInWithPasskey(
  needs: PasskeyNeeds & Pick<SignInNeeds, "openSessions">,
  call: Omit<Call, "caller">,
  given: Spoken & {
    readonly page: OwnPage;
    readonly id: string;
    readonly signature: Uint8Array;
    readonly userAgent: string;
    readonly formerCookie: string | undefined;
  },
): Promise<SignedIn> {
  const { page, id, signature, userAgent, formerCookie } = given;
  const passkey = await needs.passkeys.find(id);
  // The host is that of the registration: whoever calls under another name gets nowhere.
  const checked = passkey?.host === page.host ? checkCeremony({ type: "webauthn.get", ...page }, given) : undefined;
  const challenge = checked && readChallenge(needs, "sign-in", checked.challenge);
  if (passkey === undefined || checked === undefined || challenge === undefined) throw notAccepted();
  if (!isSignedBy(passkey.publicKey, signature, given)) throw notAccepted();
  const holder = await accepted(needs.authenticator.holder(passkey.accountId));
  await requireOwnSignIn(needs, passkey.accountId);
  const use = { id, useCount: checked.useCount, challenge, at: needs.now() };
  if (!(await needs.passkeys.use(use))) throw notAccepted();
  const former = await formerSession(needs, formerCookie);
  const { sessionLifetimeMs: lifetimeMs } = needs;
  const session = { ...holder, lifetimeMs, by: "passkey", replaces: former?.sessionId, userAgent } as const;
  return await beginSession(needs, call, session);
}

/** A suspended person gets the answer of a wrong key. */
async function accepted<Holder>(holder: Holder | Promise<Holder>): Promise<Holder> {
  try {
    return await holder;
  } catch (error) {
    throw error instanceof AppError && error.code === "unauthorized" ? notAccepted() : error;
  }
}

function requirePasskeyHost({ host, origin }: OwnPage): void {
  const isSafe = origin.startsWith("https:") || host === "localhost";
  if (isSafe && isPasskeyHost(host)) return;
  const message = "passkeys need a page that was opened by a name and over HTTPS, such as https://busbar.example.org";
  throw refuse("not_available", message);
}

const notAdded = (): Error =>
  refuse("invalid_body", "the browser's answer does not fit this page or came too late; try again", {
    pointer: "/client_data",
  });

const notAccepted = (): Error =>
  refuse("unauthorized", "the passkey is not accepted: it is unknown here, or the answer came too late; try again");

const unknown = (id: string): Error => refuse("not_found", `there is no passkey ${id}`);
