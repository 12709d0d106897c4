import { expect, test } from "vitest";
import type { Session } from "#core/access/session.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeEntry, makeSession, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, type OpenStores } from "./stores.ts";

const MOST = 3;

export function sessionStoreContract(open: OpenStores): void {
  test("a session is found as it was stored", async () => {
    const { sessions } = await open();
    const all: Session[] = [];
    for (const fields of [
      {},
      { previousHash: hashOf(3), renewedAt: at(1), lastUsedAt: at(2), expiresAt: at(3) },
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((userAgent) => ({ userAgent })),
    ] satisfies Partial<Session>[]) {
      const session = makeSession(fields);
      all.push(session);
      expect(await sessions.insert({ session, replaces: undefined, most: MOST }, makeEntry())).toEqual([]);
      expect(await sessions.find(session.id)).toEqual(session);
    }
    expect(await sessions.all()).toEqual(all);
  });

  test("an id that no session has finds, renews and ends nothing", async () => {
    const stores = await open();
    const { sessions } = stores;
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId()]) {
      expect(await sessions.find(id)).toBeUndefined();
      expect(await sessions.end(id, makeEntry())).toBe(false);
      expect(await sessions.endOfToken(id, makeEntry())).toEqual([]);
      expect(await sessions.renew({ id, from: hashOf(1), ...fresh(2) })).toBe(false);
    }
    expect(await auditIds(stores)).toEqual([]);
  });

  test("a code is found as it was stored, is used once, and not after its time", async () => {
    const { sessions } = await open();
    const limits = { mostOfToken: 10, most: 10 };
    const code = { hash: "h", tokenId: newId(), isForScreen: true, createdAt: at(0), expiresAt: at(10) };
    const other = { ...code, hash: "i", isForScreen: false };
    for (const one of [code, other]) await sessions.insertCode({ code: one, ...limits });
    expect([await sessions.findCode("h"), await sessions.findCode("i")]).toEqual([code, other]);
    const taken = await Promise.all([1, 2, 3].map(() => sessions.takeCode("h", at(9))));
    expect(taken.filter(Boolean)).toEqual([true]);
    expect(await sessions.takeCode("i", at(10))).toBe(false);
    for (const hash of [...OBJECT_PROPERTY_NAMES, "", "h"]) {
      expect(await sessions.findCode(hash)).toBeUndefined();
      expect(await sessions.takeCode(hash, at(1))).toBe(false);
    }
    await sessions.insertCode({ code: { ...code, hash: "later", createdAt: at(10), expiresAt: at(20) }, ...limits });
    expect(await sessions.findCode("i")).toBeUndefined();
  });

  test("beyond so many codes of a token, or of all, the oldest end", async () => {
    const { sessions } = await open();
    const [mine, theirs] = [newId(), newId()];
    const insert = (hash: string, tokenId: string, n: number) =>
      sessions.insertCode({
        code: { hash, tokenId, isForScreen: false, createdAt: at(n), expiresAt: at(100) },
        mostOfToken: 2,
        most: 3,
      });
    const left = async () => {
      const found = await Promise.all(["a", "b", "c", "d", "e"].map((hash) => sessions.findCode(hash)));
      return found.flatMap((code) => code?.hash ?? []).join("");
    };
    for (const [n, hash] of ["a", "b", "c"].entries()) await insert(hash, mine, n);
    expect(await left()).toBe("bc");
    await insert("d", theirs, 4);
    expect(await left()).toBe("bcd");
    await insert("e", theirs, 5);
    expect(await left()).toBe("cde");
  });

  test("a token has so many sessions: one more ends the one that was used least recently", async () => {
    const stores = await open();
    const tokenId = newId();
    const [other] = await fill(stores, newId(), [0]);
    const [first, second, third] = await fill(stores, tokenId, [5, 1, 3]);
    const [fourth] = await fill(stores, tokenId, [6], [second]);
    await fill(stores, tokenId, [7], [third]);
    const left = (await stores.sessions.all()).map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining([other, first, fourth]));
    expect(left).toHaveLength(4);
  });

  test("a session that replaces another ends that one, and no other", async () => {
    const stores = await open();
    const tokenId = newId();
    const [former, kept] = await fill(stores, tokenId, [1, 0]);
    const session = makeSession({ tokenId, lastUsedAt: at(9) });
    expect(await stores.sessions.insert({ session, replaces: former, most: 2 }, makeEntry())).toEqual([former]);
    expect((await stores.sessions.all()).map(({ id }) => id)).toEqual([kept, session.id]);
    const last = makeSession({ tokenId });
    expect(await stores.sessions.insert({ session: last, replaces: newId(), most: MOST }, makeEntry())).toEqual([]);
  });

  test("of 20 concurrent renewals exactly one is stored, and the others change nothing", async () => {
    const { sessions } = await open();
    const session = makeSession({ hash: hashOf(1) });
    await sessions.insert({ session, replaces: undefined, most: MOST }, makeEntry());
    const renew = (_: unknown, i: number) => sessions.renew({ id: session.id, from: hashOf(1), ...fresh(10 + i) });
    const answers = await Promise.all(Array.from({ length: 20 }, renew));
    expect(answers.filter((was) => was)).toHaveLength(1);
    expect(await sessions.find(session.id)).toEqual({ ...session, ...fresh(10 + answers.indexOf(true)) });
    expect(await sessions.renew({ id: session.id, from: hashOf(1), ...fresh(99) })).toBe(false);
  });

  test("a session ends once, with its audit entry", async () => {
    const stores = await open();
    const [first, second] = await fill(stores, newId(), [0, 1]);
    expect(await stores.sessions.end(first ?? "", makeEntry())).toBe(true);
    expect(await stores.sessions.end(first ?? "", makeEntry())).toBe(false);
    expect((await stores.sessions.all()).map(({ id }) => id)).toEqual([second]);
    expect(await auditIds(stores)).toHaveLength(3);
  });

  test("all sessions of a token end together, and those of a revoked token with it", async () => {
    const stores = await open();
    const token = makeToken();
    await stores.tokens.insert(token, makeEntry());
    const [other] = await fill(stores, newId(), [0]);
    const own = await fill(stores, token.id, [0, 1]);
    expect(await stores.sessions.endOfToken(token.id, makeEntry())).toEqual(own);
    await fill(stores, token.id, [0, 1]);
    await stores.tokens.revoke(token.id, NOON, makeEntry());
    expect((await stores.sessions.all()).map(({ id }) => id)).toEqual([other]);
  });

  test("a provider ends the sessions that came from one there, with those of which nobody knows it, or all of a person", async () => {
    const stores = await open();
    const tokenId = newId();
    const settings = { mail: "anna@example.org", language: undefined, timeFormat: undefined, provider: undefined };
    const token = makeToken({ id: tokenId, accountId: tokenId });
    await stores.accounts.insert({ token, settings, password: undefined }, makeEntry());
    const make = async (providerSession: string | undefined, of = tokenId) => {
      const session = makeSession({ tokenId: of, providerSession });
      await stores.sessions.insert({ session, replaces: undefined, most: MOST }, makeEntry());
      expect((await stores.sessions.find(session.id))?.providerSession).toBe(providerSession);
      return session.id;
    };
    const [one, two, unknown] = [await make("s1"), await make("s2"), await make(undefined)];
    const other = await make("s1", newId());
    const step = async (hash: string, providerSession: string | undefined) =>
      await stores.secondFactors.insertStep(
        { hash, accountId: tokenId, tokenHash: hashOf(1), createdAt: NOON, expiresAt: at(9), providerSession },
        9,
      );
    for (const [hash, session] of [
      ["a", "s1"],
      ["b", "s2"],
      ["c", undefined],
    ] as const)
      await step(hash, session);
    const end = (session: string | undefined) => stores.sessions.endOfProvider(tokenId, session, makeEntry());
    expect([...(await end("s1"))].sort()).toEqual([one, unknown].sort());
    const left = async () => {
      const steps = await Promise.all(["a", "b", "c"].map((hash) => stores.secondFactors.findStep(hash)));
      return steps.flatMap((found) => found?.hash ?? []);
    };
    expect(await left()).toEqual(["b"]);
    const entries = (await auditIds(stores)).length;
    expect(await end("s1")).toEqual([]);
    expect(await auditIds(stores)).toHaveLength(entries);
    expect([await end(undefined), await left()]).toEqual([[two], []]);
    expect((await stores.sessions.all()).map(({ id }) => id)).toEqual([other]);
    await step("d", undefined);
    await make("s1");
    await expectNothingWithoutItsTrail(stores, (entry) => stores.sessions.endOfProvider(tokenId, "s1", entry));
    await end(undefined);
    expect(await left()).toEqual([]);
  });

  test("the last use only moves forward", async () => {
    const stores = await open();
    const [first = "", second = ""] = await fill(stores, newId(), [2, 4]);
    const uses = async (...list: readonly (readonly [string, Instant])[]) => {
      await stores.sessions.noteUse(new Map(list));
      return (await stores.sessions.all()).map(({ lastUsedAt }) => lastUsedAt - NOON);
    };
    expect(await uses([first, at(3)], [second, at(3)])).toEqual([3, 4]);
    expect(await uses([first, at(1)], [newId(), at(9)], ["__proto__", at(9)])).toEqual([3, 4]);
    expect(await uses()).toEqual([3, 4]);
  });

  test("pruning deletes what has expired or was idle for too long, and nothing else", async () => {
    const { sessions } = await open();
    const make = async (expires: number, used: number) => {
      const session = makeSession({ expiresAt: at(expires), lastUsedAt: at(used) });
      await sessions.insert({ session, replaces: undefined, most: MOST }, makeEntry());
      return session.id;
    };
    await make(10, 9);
    await make(99, 5);
    const kept = await make(11, 6);
    expect(await sessions.prune({ expiredAt: at(10), idleSince: at(5) })).toBe(2);
    expect(await sessions.prune({ expiredAt: at(10), idleSince: at(5) })).toBe(0);
    expect((await sessions.all()).map(({ id }) => id)).toEqual([kept]);
  });

  test("a write whose audit entry cannot be stored is not stored either", async () => {
    const stores = await open();
    const { sessions } = stores;
    const tokenId = newId();
    const [id = ""] = await fill(stores, tokenId, [0]);
    const session = makeSession({ tokenId });
    await expectNothingWithoutItsTrail(stores, (entry) => sessions.insert({ session, replaces: id, most: 1 }, entry));
    await expectNothingWithoutItsTrail(stores, (entry) => sessions.end(id, entry));
    await expectNothingWithoutItsTrail(stores, (entry) => sessions.endOfToken(tokenId, entry));
  });
}

/** Stores sessions that were last used so many milliseconds after noon. Each must end the sessions in `ended`. */
async function fill(
  { sessions }: SubjectStores,
  tokenId: string,
  uses: readonly number[],
  ended: readonly (string | undefined)[] = [],
): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const used of uses) {
    const session = makeSession({ tokenId, lastUsedAt: at(used) });
    expect(await sessions.insert({ session, replaces: undefined, most: MOST }, makeEntry())).toEqual(ended);
    ids.push(session.id);
  }
  return ids;
}

function fresh(byte: number) {
  return { hash: hashOf(byte), previousHash: hashOf(1), renewedAt: at(byte) };
}

function at(afterNoon: number): Instant {
  return instant(NOON + afterNoon);
}

function hashOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}
