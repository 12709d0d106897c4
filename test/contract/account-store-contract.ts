import { expect, test } from "vitest";
import type { Account } from "#core/access/account.ts";
import type { AccessLevel } from "#core/access/level.ts";
import type { TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { AccountChange, NewAccount } from "#service/ports/account-store.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeEntry, makeSession, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

let people = 0;

function makeAccount(fields: Partial<TokenRecord> = {}, more: Partial<NewAccount["settings"]> = {}): NewAccount {
  const id = newId();
  const mail = `Person${++people}@Example.org`;
  return {
    token: makeToken({ id, name: "Anna", accountId: id, ...fields }),
    settings: { mail, language: undefined, timeFormat: undefined, provider: undefined, ...more },
    password: "$argon2id$first",
  };
}

const seenAs = ({ token, settings, password }: NewAccount): Account => ({
  ...{ id: token.id, name: token.name, level: token.level, sites: token.sites, createdAt: token.createdAt },
  ...settings,
  hasPassword: password !== undefined,
  hasSecondFactor: false,
  suspendedAt: token.revokedAt,
  lastUsedAt: token.lastUsedAt,
});

function fail(): never {
  throw new Error("there is no such account");
}

const HASH = new Uint8Array(32).fill(77);

async function withPerson(open: OpenStores, fields: Partial<TokenRecord> = {}) {
  const stores = await open();
  const account = makeAccount(fields);
  await stores.accounts.insert(account, makeEntry());
  const { id } = account.token;
  const change = (what: AccountChange, after = 1) =>
    stores.accounts.change({ id, change: what, at: at(after), hash: HASH }, makeEntry());
  return { stores, account, id, change };
}

async function addToken(stores: SubjectStores, fields: Partial<TokenRecord>): Promise<TokenRecord> {
  const token = makeToken(fields);
  await stores.tokens.insert(token, makeEntry());
  await addSession(stores, token.id);
  return token;
}

async function addSession({ sessions }: SubjectStores, tokenId: string): Promise<void> {
  await sessions.insert({ session: makeSession({ tokenId }), replaces: undefined, most: 9 }, makeEntry());
}

const holders = async ({ sessions }: SubjectStores) => (await sessions.all()).map(({ tokenId }) => tokenId);

export function accountStoreContract(open: OpenStores): void {
  test("levels of single sites are stored beside the level, and end with it or with their site", async () => {
    const [north, south] = [newId(), newId()];
    const siteLevels = new Map([[north, "owner"]] as const);
    const sites = new Set([north, south]);
    const { stores, id, change } = await withPerson(open, { level: "readonly", sites, siteLevels });
    const access = async () => {
      const { level, sites, siteLevels } = (await stores.accounts.find(id)) ?? fail();
      const token = await stores.tokens.find(id);
      expect([token?.level, token?.sites, token?.siteLevels]).toEqual([level, sites, siteLevels]);
      return [level, sites === "all" ? "all" : [...sites], [...(siteLevels ?? [])]];
    };
    expect(await access()).toEqual(["readonly", [north, south], [[north, "owner"]]]);
    await change({ siteLevels: new Map([[south, "installer"]]) }, 1);
    expect(await access()).toEqual(["readonly", [north, south], [[south, "installer"]]]);
    await change({ sites: new Set([north]) }, 2);
    expect(await access()).toEqual(["readonly", [north], []]);
    await change({ sites: "all", siteLevels: new Map([[south, "owner"]]) }, 3);
    expect(await access()).toEqual(["readonly", "all", [[south, "owner"]]]);
    await change({ level: "user" }, 4);
    expect(await access()).toEqual(["user", "all", []]);
  });

  test("a token is as much as its person at each of its sites, and ends when that becomes less", async () => {
    const [north, south] = [newId(), newId()];
    const siteLevels = new Map([[north, "owner"]] as const);
    const sites = new Set([north, south]);
    const { stores, id, change } = await withPerson(open, { level: "readonly", sites, siteLevels });
    const token = (level: AccessLevel, ...at: readonly string[]) =>
      addToken(stores, { accountId: id, level, sites: new Set(at) });
    const kept = [await token("readonly", north, south), await token("user", north)];
    const ended = await token("owner", north);
    await expectRefusal(token("user", south), "forbidden");
    await expectRefusal(token("user", north, south), "forbidden");
    const changed = await change({ siteLevels: new Map([[north, "user"]]) });
    expect([...(changed ?? [])].sort()).toEqual([id, ended.id].sort());
    for (const { id: one } of kept) expect((await stores.tokens.find(one))?.revokedAt).toBeUndefined();
    expect((await stores.tokens.find(ended.id))?.revokedAt).toBeDefined();
  });

  test("a person is found as stored, with the access of a token that nobody has", async () => {
    const { accounts, tokens } = await open();
    const made: Account[] = [];
    for (const account of [
      makeAccount(),
      makeAccount({ level: "vendor", sites: new Set([newId(), newId()]) }, { language: "de", timeFormat: "12h" }),
      { ...makeAccount({ sites: new Set<string>() }), password: undefined },
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((name) => makeAccount({ name })),
    ]) {
      await accounts.insert(account, makeEntry());
      expect(await accounts.find(account.token.id)).toEqual(seenAs(account));
      expect(await tokens.find(account.token.id)).toEqual(account.token);
      made.push(seenAs(account));
    }
    expect(await accounts.all()).toEqual(made);
  });

  test("an id that nobody has finds, changes and deletes nothing", async () => {
    const stores = await open();
    // A token is no person.
    const token = makeToken();
    await stores.tokens.insert(token, makeEntry());
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId(), token.id]) {
      expect(await stores.accounts.find(id)).toBeUndefined();
      const asked = { id, change: { name: "x", isSuspended: true }, at: NOON, hash: HASH };
      expect(await stores.accounts.change(asked, makeEntry())).toBeUndefined();
      expect(await stores.accounts.delete(id, NOON, makeEntry())).toBeUndefined();
      expect(await stores.accounts.findPassword(id)).toBeUndefined();
    }
    expect(await stores.tokens.all()).toEqual([token]);
    expect(await auditIds(stores)).toHaveLength(1);
  });

  test("who comes by a provider is found by issuer and subject together, is one account, and is gone with it", async () => {
    const stores = await open();
    const { accounts } = stores;
    const identities = [
      { issuer: "https://id.example", subject: "42" },
      { issuer: "https://id.example", subject: "43" },
      { issuer: "https://other.example", subject: "42" },
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((subject) => ({ issuer: "https://id.example", subject })),
    ];
    await accounts.insert(makeAccount(), makeEntry());
    for (const provider of identities) {
      expect(await accounts.findByProvider(provider)).toBeUndefined();
      const account = makeAccount({}, { provider });
      await accounts.insert(account, makeEntry());
      expect(await accounts.findByProvider(provider)).toEqual(seenAs(account));
      await expectRefusal(accounts.insert(makeAccount({}, { provider }), makeEntry()), "conflict");
    }
    expect(await accounts.all()).toHaveLength(identities.length + 1);
    const [first = fail()] = identities;
    const { id } = (await accounts.findByProvider(first)) ?? fail();
    await accounts.change(
      { id, change: { mail: "moved@example.org", level: "user" }, at: at(1), hash: HASH },
      makeEntry(),
    );
    expect(await accounts.findByProvider(first)).toMatchObject({ id, mail: "moved@example.org", provider: first });
    await accounts.delete(id, at(2), makeEntry());
    expect(await accounts.findByProvider(first)).toBeUndefined();
    await accounts.insert(makeAccount({}, { provider: first }), makeEntry());
  });

  test("a mail address belongs to one person, however it is written", async () => {
    const { stores, account, id, change } = await withPerson(open);
    const { mail } = account.settings;
    for (const same of [mail, mail.toUpperCase(), ` ${mail.toLowerCase()}`]) {
      expect(await stores.accounts.findPassword(same)).toEqual({ id, password: "$argon2id$first" });
      await expectRefusal(stores.accounts.insert(makeAccount({}, { mail: same }), makeEntry()), "conflict");
    }
    const other = makeAccount();
    await stores.accounts.insert(other, makeEntry());
    await expectRefusal(change({ mail: other.settings.mail.toUpperCase() }), "conflict");
    await change({ mail: mail.toLowerCase() });
    expect((await stores.accounts.find(id))?.mail).toBe(mail.toLowerCase());
    await change({ mail: "moved@example.org" });
    expect(await stores.accounts.findPassword(mail)).toBeUndefined();
    await stores.accounts.insert(makeAccount({}, { mail }), makeEntry());
  });

  test("of ten people added at once with one mail address, one is there", async () => {
    const stores = await open();
    const { settings } = makeAccount();
    const added = Array.from({ length: 10 }, () => stores.accounts.insert(makeAccount({}, settings), makeEntry()));
    expect((await Promise.allSettled(added)).filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(
      [await stores.accounts.all(), await stores.tokens.all(), await auditIds(stores)].map((x) => x.length),
    ).toEqual([1, 1, 1]);
  });

  test("fields change alone, and a field that is cleared is unset", async () => {
    const { stores, account, id, change } = await withPerson(open);
    let expected = seenAs(account);
    for (const one of [
      { language: "de", timeFormat: "24h" },
      { language: undefined },
      { name: "Größe 电池" },
      { level: "owner" },
      { sites: new Set([newId()]) },
      { sites: "all" },
      { mail: "other@example.org" },
    ] as const) {
      const touched = await change(one);
      expected = { ...expected, ...one };
      expect(await stores.accounts.find(id)).toEqual(expected);
      expect(touched).toEqual("name" in one || "level" in one || "sites" in one ? [id] : []);
    }
    expect((await stores.tokens.find(id))?.hash).toEqual(account.token.hash);
    expect(await change({})).toEqual([]);
  });

  test("a new password ends the person's sessions, and not the person's tokens", async () => {
    const { stores, account, id, change } = await withPerson(open);
    const token = await addToken(stores, { accountId: id });
    await addSession(stores, id);
    expect(await change({ password: "$argon2id$second" })).toEqual([id]);
    expect(await holders(stores)).toEqual([token.id]);
    expect((await stores.tokens.find(id))?.hash).toEqual(HASH);
    expect(await stores.tokens.find(token.id)).toEqual(token);
    expect((await stores.accounts.findPassword(account.settings.mail))?.password).toBe("$argon2id$second");
  });

  test("a suspension ends sessions and tokens of the person; afterwards the tokens stay revoked", async () => {
    const { stores, account, id, change } = await withPerson(open);
    const [mine, revoked] = [
      await addToken(stores, { accountId: id }),
      await addToken(stores, { accountId: id, revokedAt: NOON }),
    ];
    const someone = makeAccount();
    await stores.accounts.insert(someone, makeEntry());
    const others = [await addToken(stores, {}), await addToken(stores, { accountId: someone.token.id })];
    await addSession(stores, id);
    expect(await change({ isSuspended: true })).toEqual([id, mine.id]);
    expect(await holders(stores)).toEqual([revoked, ...others].map((token) => token.id));
    expect(await stores.tokens.find(mine.id)).toEqual({ ...mine, revokedAt: at(1) });
    expect(await stores.tokens.find(id)).toMatchObject({ hash: HASH, revokedAt: at(1) });
    for (const token of [revoked, ...others]) expect(await stores.tokens.find(token.id)).toEqual(token);
    await change({ isSuspended: true }, 2);
    expect((await stores.accounts.find(id))?.suspendedAt).toBe(at(1));
    expect(await change({ isSuspended: false }, 3)).toEqual([id]);
    expect(await stores.accounts.find(id)).toEqual(seenAs(account));
    expect((await stores.tokens.find(id))?.revokedAt).toBeUndefined();
    expect((await stores.tokens.find(mine.id))?.revokedAt).toBe(at(1));
  });

  test("all sessions and tokens of a person end in one change, without a suspension", async () => {
    const { stores, account, id, change } = await withPerson(open, { level: "owner" });
    const mine = await addToken(stores, { accountId: id });
    const other = await addToken(stores, {});
    await addSession(stores, id);
    expect(await change({ endsAll: true, level: "readonly" })).toEqual([id, mine.id]);
    expect(await holders(stores)).toEqual([other.id]);
    expect(await stores.accounts.find(id)).toEqual({ ...seenAs(account), level: "readonly" });
    expect(await stores.tokens.find(id)).toMatchObject({ hash: HASH, revokedAt: undefined });
    expect(await stores.tokens.find(mine.id)).toEqual({ ...mine, revokedAt: at(1) });
  });

  test("less level or fewer sites revoke the person's tokens that are for more", async () => {
    const [north, south] = [newId(), newId()];
    const { stores, id, change } = await withPerson(open, { level: "owner" });
    const [reader, owner, all] = [
      await addToken(stores, { accountId: id, level: "readonly", sites: new Set([north]) }),
      await addToken(stores, { accountId: id, level: "owner", sites: new Set([north, south]) }),
      await addToken(stores, { accountId: id, level: "user" }),
    ];
    expect(await change({ name: "Anna A" })).toEqual([id]);
    expect(await change({ level: "user" })).toEqual([id, owner.id]);
    expect(await change({ sites: new Set([north]) })).toEqual([id, all.id]);
    expect(await holders(stores)).toEqual([reader.id]);
    expect(await change({ sites: new Set([south]) })).toEqual([id, reader.id]);
  });

  test("a token of a person is never for more than that person, and never of somebody who is gone", async () => {
    const [north, south] = [newId(), newId()];
    const { stores, id, change } = await withPerson(open, { level: "user", sites: new Set([north]) });
    const add = (fields: Partial<TokenRecord>) =>
      stores.tokens.insert(
        makeToken({ level: "user", sites: new Set([north]), accountId: id, ...fields }),
        makeEntry(),
      );
    await add({});
    for (const more of [
      { level: "owner" },
      { sites: "all" },
      { sites: new Set([north, south]) },
      { accountId: newId() },
    ] as const)
      await expectRefusal(add(more), "forbidden");
    await change({ isSuspended: true });
    await expectRefusal(add({}), "forbidden");
    expect((await stores.tokens.all()).filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
    await change({ isSuspended: false });
    await add({});
    await stores.accounts.delete(id, NOON, makeEntry());
    await expectRefusal(add({}), "forbidden");
  });

  test("an invitation sets the password once, in its time, and ends sessions; another one replaces it", async () => {
    const { stores, account, id } = await withPerson(open);
    const { accounts } = stores;
    const invite = (hash: string) => accounts.invite({ accountId: id, hash, expiresAt: at(10) }, makeEntry());
    const accept = (hash: string, after: number, password = "$argon2id$invited") =>
      accounts.acceptInvitation(hash, { id, change: { password }, at: at(after), hash: HASH }, makeEntry());
    expect(await invite("first")).toBe(true);
    expect(await invite("second")).toBe(true);
    expect(await accounts.findInvitation("first")).toBeUndefined();
    expect(await accounts.findInvitation("second")).toEqual({ accountId: id, hash: "second", expiresAt: at(10) });
    await addSession(stores, id);
    const entries = (await auditIds(stores)).length;
    expect([await accept("first", 1), await accept("second", 10)]).toEqual([undefined, undefined]);
    expect((await auditIds(stores)).length).toBe(entries);
    const answers = await Promise.all([1, 2, 3].map((turn) => accept("second", 9, `$argon2id$${turn}`)));
    expect(answers.filter((answer) => answer !== undefined)).toEqual([[id]]);
    expect(await holders(stores)).toEqual([]);
    expect((await accounts.findPassword(account.settings.mail))?.password).toMatch(/^.argon2id.[123]$/);
    expect(await accounts.findInvitation("second")).toBeUndefined();
  });

  test("what makes a link lead to more or to somebody else ends it, and so does a deletion; nobody suspended or unknown is invited", async () => {
    const { stores, id, change } = await withPerson(open);
    const { accounts } = stores;
    const invite = (accountId = id) => accounts.invite({ accountId, hash: "h", expiresAt: at(100) }, makeEntry());
    const ends = [
      { level: "owner" },
      { sites: "all" },
      { mail: "other@example.com" },
      { password: "$argon2id$other" },
      { isSuspended: true },
    ] as const;
    for (const end of ends) {
      await invite();
      await change({ name: "Anna A" });
      expect(await accounts.findInvitation("h")).toBeDefined();
      await change(end);
      expect(await accounts.findInvitation("h")).toBeUndefined();
    }
    for (const accountId of [id, newId(), ...OBJECT_PROPERTY_NAMES]) expect(await invite(accountId)).toBe(false);
    await change({ isSuspended: false });
    await invite();
    await accounts.delete(id, NOON, makeEntry());
    expect(await accounts.findInvitation("h")).toBeUndefined();
  });

  test("a place is new once, to a person who has signed in before; too many and old ones are forgotten", async () => {
    const { stores, id } = await withPerson(open);
    const other = makeAccount();
    await stores.accounts.insert(other, makeEntry());
    const note = (place: string, after: number, accountId = id) =>
      stores.accounts.notePlace({ accountId, place, at: at(after), since: at(after - 100), most: 3 });
    expect([await note("a", 0), await note("a", 1), await note("b", 2), await note("b", 3)]).toEqual([
      ...[false, false],
      ...[true, false],
    ]);
    expect(await note("b", 3, other.token.id)).toBe(false);
    const many = await Promise.all([1, 2, 3, 4].map(() => note("c", 4)));
    expect(many.filter(Boolean)).toEqual([true]);
    expect([await note("d", 5), await note("b", 6), await note("a", 7)]).toEqual([true, false, true]);
    // Everything is too old now, and the person is still not here for the first time.
    expect([await note("a", 107), await note("a", 108)]).toEqual([true, false]);
    await stores.accounts.delete(id, NOON, makeEntry());
  });

  test("a deleted person leaves nothing but revoked tokens", async () => {
    const { stores, account, id } = await withPerson(open);
    const token = await addToken(stores, { accountId: id });
    await addSession(stores, id);
    const code = { hash: "h", tokenId: id, isForScreen: false, createdAt: NOON, expiresAt: at(100) };
    await stores.sessions.insertCode({ code, mostOfToken: 9, most: 9 });
    expect(await stores.accounts.delete(id, at(5), makeEntry())).toEqual([id, token.id]);
    expect(await stores.accounts.all()).toEqual([]);
    expect(await stores.tokens.all()).toEqual([{ ...token, revokedAt: at(5) }]);
    expect(await holders(stores)).toEqual([]);
    expect(await stores.sessions.findCode("h")).toBeUndefined();
    expect(await stores.accounts.findPassword(account.settings.mail)).toBeUndefined();
  });

  test("a write whose audit entry cannot be stored is not stored either", async () => {
    const { stores, id } = await withPerson(open);
    await addSession(stores, id);
    const suspend = { id, change: { isSuspended: true, name: "x" }, at: NOON, hash: HASH };
    await expectNothingWithoutItsTrail(stores, (entry) => stores.accounts.insert(makeAccount(), entry));
    await expectNothingWithoutItsTrail(stores, (entry) => stores.accounts.change(suspend, entry));
    await expectNothingWithoutItsTrail(stores, (entry) => stores.accounts.delete(id, NOON, entry));
  });
}

function at(afterNoon: number): Instant {
  return instant(NOON + afterNoon);
}
