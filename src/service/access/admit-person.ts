// Who comes from the provider, as a person here. The account belongs to issuer and subject, and a mail address finds nobody. What the
// person may do is read from the groups at each sign-in: no more, and no less.
import type { Account } from "#core/access/account.ts";
import { type Access, type Caller, covers } from "#core/access/caller.ts";
import { accessOfGroups, type GroupRule } from "#core/access/group-rule.ts";
import type { ProviderPerson } from "#core/access/provider-person.ts";
import { AppError, refuse } from "#core/app-error.ts";
import { type AccountNeeds, storeChange } from "#service/access/accounts.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { accessDetails, accessTarget } from "#service/access/grant.ts";
import type { Call } from "#service/ports.ts";

const HASH_BYTES = 32;

export interface Admission {
  readonly groupRules: readonly GroupRule[];
  /** Whether people get an account with their first sign-in. */
  readonly takesNewPeople: boolean;
}

export async function admitPerson(
  needs: AccountNeeds,
  call: Omit<Call, "caller">,
  { person, admission }: { readonly person: ProviderPerson; readonly admission: Admission },
): Promise<Account> {
  const known = await needs.accounts.findByProvider(person);
  if (known?.suspendedAt !== undefined)
    throw refuse("forbidden", `${known.name} is suspended here`, reason("suspended"));
  const access = await accessFromGroups(needs, { person, admission });
  if (access === undefined) {
    if (known !== undefined) await endAll(needs, call, known);
    throw noGroup();
  }
  if (known !== undefined) return await follow(needs, call, { account: known, access });
  if (!admission.takesNewPeople) {
    throw refuse("forbidden", "you have no account here, and sign-in does not make new ones", reason("new"));
  }
  return await add(needs, call, { person, access });
}

/** Undefined: none of the person's groups gives anything here. */
export async function accessFromGroups(
  needs: Pick<AccountNeeds, "sites">,
  { person, admission }: { readonly person: ProviderPerson; readonly admission: Admission },
): Promise<Access | undefined> {
  return accessOfGroups(await rulesOfSites(needs, admission.groupRules), person.groups);
}

export const noGroup = (): Error =>
  refuse("forbidden", "none of your groups at the provider may sign in here", reason("groups"));

/** For the page, which says it in the language of the person. */
const reason = (why: "suspended" | "groups" | "new" | "mail" | "mail_taken") => ({ reason: why });

/** Rules for sites that do not exist give nothing. */
async function rulesOfSites(
  { sites }: Pick<AccountNeeds, "sites">,
  rules: readonly GroupRule[],
): Promise<readonly GroupRule[]> {
  const named = new Set(rules.flatMap(({ siteId }) => siteId ?? []));
  const there = new Set<string>();
  for (const siteId of named) if ((await sites.find(siteId)) !== undefined) there.add(siteId);
  return rules.filter(({ siteId }) => siteId === undefined || there.has(siteId));
}

async function add(
  needs: AccountNeeds,
  call: Omit<Call, "caller">,
  { person, access }: { readonly person: ProviderPerson; readonly access: Access },
): Promise<Account> {
  const { name, mail, issuer, subject } = person;
  if (mail === undefined) {
    throw refuse("forbidden", "the provider sends no mail address that is yours for sure", reason("mail"));
  }
  const id = needs.newId();
  const unset = { expiresAt: undefined, revokedAt: undefined, lastUsedAt: undefined };
  // Nobody knows a text with this hash.
  const hash = needs.randomBytes(HASH_BYTES);
  const token = { id, name, ...access, hash, createdAt: needs.now(), accountId: id, ...unset };
  const settings = { mail, language: undefined, timeFormat: undefined, provider: { issuer, subject } };
  const made = { ...call, operation: "createAccount", caller: callerOf(token) };
  const details = { name, by: "provider", ...accessDetails(access) };
  const trail = auditTrail(needs, made, { target: accessTarget(token), details });
  try {
    await needs.accounts.insert({ token, settings, password: undefined }, trail);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "conflict") throw error;
    // The same person may sign in twice at once. Otherwise somebody else has the address.
    const meanwhile = await needs.accounts.findByProvider(person);
    if (meanwhile !== undefined) return meanwhile;
    const isMail = error.refusals[0].details?.["pointer"] === "/mail";
    throw isMail ? refuse("conflict", "another account here has your mail address", reason("mail_taken")) : error;
  }
  const account = await needs.accounts.findByProvider(person);
  if (account === undefined) throw refuse("conflict", "the account was deleted meanwhile; sign in again");
  return account;
}

/** Sessions and tokens of the person have no more from now on. */
async function follow(
  needs: AccountNeeds,
  call: Omit<Call, "caller">,
  { account, access }: { readonly account: Account; readonly access: Access },
): Promise<Account> {
  if (covers(account, access) && covers(access, account)) return account;
  const { level, sites, siteLevels = new Map() } = access;
  const changing = { ...call, operation: "updateAccount", caller: callerOf({ ...account, ...access }) };
  await storeChange(needs, changing, { before: account, change: { level, sites, siteLevels } });
  return { ...account, ...access };
}

/** Nothing goes on for somebody who may not sign in any more. With a group that may, the person can come back. */
async function endAll(needs: AccountNeeds, call: Omit<Call, "caller">, account: Account): Promise<void> {
  const changing = { ...call, operation: "updateAccount", caller: callerOf(account) };
  const change = { level: "readonly", siteLevels: new Map(), endsAll: true } as const;
  await storeChange(needs, changing, { before: account, change });
}

const callerOf = ({ id, name, level, sites }: Pick<Account, "id" | "name" | "level" | "sites">): Caller => ({
  ...{ tokenId: id, tokenName: name, accountId: id, level, sites },
});
