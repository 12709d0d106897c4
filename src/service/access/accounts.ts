// The people of an installation. A caller sees those that it could have added itself: no stronger, and for no other sites.
import type { Account, Language, TimeFormat } from "#core/access/account.ts";
import { type Access, accessOf, type Caller, changedAccess, covers } from "#core/access/caller.ts";
import type { AccessLevel } from "#core/access/level.ts";
import { passwordProblem } from "#core/access/password.ts";
import { refuse } from "#core/app-error.ts";
import { requesterOf } from "#core/share/requester.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import {
  accessDetails,
  accessTarget,
  grantableSites,
  requireGrantableAt,
  requireGrantableLevel,
} from "#service/access/grant.ts";
import type { Passwords } from "#service/access/passwords.ts";
import type { AccountChange, PasswordHash } from "#service/ports/account-store.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Call, Needs } from "#service/ports.ts";

const HASH_BYTES = 32;

/** More than the level of the person, at one of the person's sites. */
export interface SiteLevel {
  readonly siteId: string;
  readonly level: AccessLevel;
}

export interface AccountInput {
  readonly name: string;
  readonly mail: string;
  readonly level: AccessLevel;
  /** Undefined means all sites. */
  readonly siteIds: readonly string[] | undefined;
  readonly siteLevels: readonly SiteLevel[] | undefined;
  readonly language: Language | undefined;
  readonly timeFormat: TimeFormat | undefined;
  readonly password: string | undefined;
}

/** Fields that are not here stay as they are. */
export interface AskedChange extends Omit<AccountChange, "sites" | "siteLevels" | "password" | "provider" | "endsAll"> {
  /** Null means all sites. */
  readonly siteIds?: readonly string[] | null;
  readonly siteLevels?: readonly SiteLevel[];
  readonly password?: string;
}

/** Among them is what would make one a weaker person first, and then the own. */
const EXCLUSIVE = ["mail", "level", "siteIds", "siteLevels", "password"] as const;

export interface AccountNeeds extends Pick<Needs, "accounts" | "sites" | "now" | "newId" | "randomBytes"> {
  readonly authenticator: Pick<Authenticator, "forget" | "lastUse">;
  readonly passwords: Passwords;
  /** Gateways have to hear of tokens that ended. */
  readonly tokenSharing: { changed(): void };
}

export async function createAccount(needs: AccountNeeds, call: Call, input: AccountInput): Promise<Account> {
  const { caller } = call;
  requireGrantableLevel(caller, input.level);
  const sites = await grantableSites(needs, caller, input);
  const siteLevels = await grantableLevels(needs, caller, { given: input.siteLevels ?? [], sites });
  const { name, mail, language, timeFormat } = input;
  const access = accessOf({ level: input.level, sites, siteLevels });
  const password = await hashed(needs, call, { password: input.password, own: [name, mail] });
  const id = needs.newId();
  const now = needs.now();
  // Nobody knows a text with this hash.
  const hash = needs.randomBytes(HASH_BYTES);
  const unset = { expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
  const token = { id, name, ...access, hash, createdAt: now, accountId: id, ...unset };
  const trail = auditTrail(needs, call, {
    target: accessTarget(token),
    details: { name, ...accessDetails(access) },
  });
  await needs.accounts.insert(
    { token, settings: { mail, language, timeFormat, provider: undefined }, password },
    trail,
  );
  return await foundAccount(needs, caller, id);
}

export async function listAccounts(needs: AccountNeeds, { caller }: Call, page: PageRequest): Promise<Page<Account>> {
  const visible = (await needs.accounts.all()).filter((account) => covers(caller, account));
  const items = visible.slice(page.offset, page.offset + page.limit).map((account) => withLastUse(needs, account));
  return { items, total: visible.length };
}

export async function foundAccount(needs: AccountNeeds, caller: Caller, id: string): Promise<Account> {
  const account = await needs.accounts.find(id);
  if (account === undefined || !covers(caller, account)) throw unknown(id);
  return withLastUse(needs, account);
}

export async function changeAccount(needs: AccountNeeds, call: Call, id: string, asked: AskedChange): Promise<Account> {
  const { caller } = call;
  const before = await foundAccount(needs, caller, id);
  const { siteIds: _, siteLevels: __, level: ___, password, ...rest } = asked;
  const isSelf = caller.tokenId === id && password === undefined;
  if (!isSelf && EXCLUSIVE.some((field) => asked[field] !== undefined))
    requireAbove(caller, before, "change the mail address, level, sites or password");
  if (before.provider !== undefined) requireNotOfProvider(asked);
  const access = await askedAccess(needs, caller, { before, asked });
  const own = [rest.name ?? before.name, rest.mail ?? before.mail];
  const hash = await hashed(needs, call, { password, own });
  const change = { ...rest, ...access, ...(hash !== undefined && { password: hash }) };
  await storeChange(needs, call, { before, change });
  return await foundAccount(needs, caller, id);
}

/** The levels of single sites, which are among the sites of the person. */
async function grantableLevels(
  needs: Pick<AccountNeeds, "sites">,
  caller: Caller,
  { given, sites }: { readonly given: readonly SiteLevel[] } & Pick<Access, "sites">,
): Promise<ReadonlyMap<string, AccessLevel>> {
  const levels = new Map<string, AccessLevel>();
  for (const [index, { siteId, level }] of given.entries()) {
    const pointer = `/site_levels/${index}/site_id`;
    if (levels.has(siteId)) throw refuse("invalid_body", `site ${siteId} is named twice`, { pointer });
    if (sites !== "all" && !sites.has(siteId)) {
      throw refuse("invalid_body", `site ${siteId} is none of the person's: name it in site_ids, too`, { pointer });
    }
    requireGrantableLevel(caller, level, `/site_levels/${index}/level`);
    await requireGrantableAt(needs, caller, { siteId, level, pointer });
    levels.set(siteId, level);
  }
  return levels;
}

/** What the provider decides, at each sign-in. */
function requireNotOfProvider(asked: AskedChange): void {
  if (asked.password !== undefined) throw signsInByProvider("/password");
  if (asked.level === undefined && asked.siteIds === undefined && asked.siteLevels === undefined) return;
  const message =
    "the level and the sites of this person follow from the groups at the provider; change the groups, or oidc.groups";
  throw refuse("conflict", message, { pointer: asked.level === undefined ? "/site_ids" : "/level" });
}

/** A password would be a way past the provider. */
export function signsInByProvider(pointer?: string): Error {
  const message = "this person signs in by the provider, and has no password here";
  return refuse("conflict", message, pointer === undefined ? undefined : { pointer });
}

/** After the person was proved: whoever signs in by the provider keeps an own password and passkeys for after that, and they let nobody in meanwhile. */
export async function requireOwnSignIn({ accounts }: Pick<AccountNeeds, "accounts">, id: string): Promise<void> {
  if ((await accounts.find(id))?.provider === undefined) return;
  throw refuse("forbidden", "you sign in by the provider now, as your account is linked to it", { reason: "linked" });
}

/** What of the access changes. The caller could have given all of what comes out. */
async function askedAccess(
  needs: Pick<AccountNeeds, "sites">,
  caller: Caller,
  { before, asked: { level, siteIds, siteLevels } }: { readonly before: Account; readonly asked: AskedChange },
): Promise<Partial<Access>> {
  if (level !== undefined) requireGrantableLevel(caller, level);
  const held = { level: level ?? before.level, siteIds: siteIds ?? undefined };
  const sites = siteIds === undefined ? undefined : await grantableSites(needs, caller, held);
  const given = { given: siteLevels ?? [], sites: sites ?? before.sites };
  const levels = siteLevels && (await grantableLevels(needs, caller, given));
  const change = {
    ...(level !== undefined && { level }),
    ...(sites !== undefined && { sites }),
    ...(levels !== undefined && { siteLevels: levels }),
  };
  if (covers(caller, changedAccess(before, change))) return change;
  throw refuse("forbidden", "the person would have more at a site than the caller has there", { pointer: "/level" });
}

/** Ends what has to end with the change before it is answered. */
export async function storeChange(
  needs: AccountNeeds,
  call: Call,
  { before, change }: { readonly before: Account; readonly change: AccountChange },
): Promise<void> {
  const { id } = before;
  const {
    mail,
    password,
    level,
    sites,
    siteLevels,
    isSuspended,
    endsAll,
    language: _,
    timeFormat: __,
    provider,
    ...shown
  } = change;
  const access = changedAccess(before, change);
  const { level: toLevel, site_ids, site_levels } = accessDetails(access);
  const trail = auditTrail(needs, call, {
    target: accessTarget({ id, sites: access.sites }),
    // No mail address and no password: the log is kept for long, and others read it.
    details: {
      account: before.name,
      ...shown,
      ...(level !== undefined && { level: toLevel }),
      ...(sites !== undefined && { site_ids }),
      ...(siteLevels !== undefined && { site_levels: site_levels ?? {} }),
      ...(mail !== undefined && { mail: "changed" }),
      ...(password !== undefined && { password: "changed" }),
      ...(isSuspended !== undefined && { suspended: isSuspended }),
      ...(endsAll === true && { sessions_and_tokens: "ended" }),
      ...("provider" in change && { provider: (provider ?? before.provider)?.issuer ?? null }),
    },
  });
  const hash = needs.randomBytes(HASH_BYTES);
  const changed = await needs.accounts.change({ id, change, at: needs.now(), hash }, trail);
  if (changed === undefined) throw unknown(id);
  forgetTokens(needs, changed);
}

export async function deleteAccount(needs: AccountNeeds, call: Call, id: string): Promise<void> {
  const account = await foundAccount(needs, call.caller, id);
  const trail = auditTrail(needs, call, { target: accessTarget(account), details: { account: account.name } });
  const changed = await needs.accounts.delete(id, needs.now(), trail);
  if (changed === undefined) throw unknown(id);
  forgetTokens(needs, changed);
}

function forgetTokens({ authenticator, tokenSharing }: AccountNeeds, ids: readonly string[]): void {
  for (const id of ids) authenticator.forget(id);
  if (ids.length > 0) tokenSharing.changed();
}

interface AskedPassword {
  readonly password: string | undefined;
  /** What others know of the person, so it is no password. */
  readonly own: readonly string[];
  readonly pointer?: string;
}

export async function hashed(
  { passwords }: AccountNeeds,
  { caller, remoteAddress }: Call,
  { password, own, pointer = "/password" }: AskedPassword,
): Promise<PasswordHash | undefined> {
  if (password === undefined) return undefined;
  const problem = passwordProblem(password, own);
  if (problem !== undefined) throw refuse("invalid_body", problem, { pointer });
  return await passwords.hash(password, requesterOf(caller, remoteAddress).key);
}

export function withLastUse({ authenticator }: AccountNeeds, account: Account): Account {
  return { ...account, lastUsedAt: authenticator.lastUse(account.id) ?? account.lastUsedAt };
}

/**
 * Above a person is who sees that person, and whom that person, with the same rights, would not see. Among equals one can
 * suspend or delete another, but not become the other, nor change what the other is.
 */
export function requireAbove(caller: Caller, account: Account, what: string): void {
  if (!covers(account, caller)) return;
  const who = `who is above ${account.name}: of a higher level, or of the same level and more sites`;
  throw refuse("forbidden", `only ${who}, can ${what}; the admin token is above everybody`);
}

function unknown(id: string): Error {
  return refuse("not_found", `there is no account ${id}`);
}
