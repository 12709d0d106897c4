import { expect, test } from "vitest";
import { ADMIN_TOKEN_ID, type TokenRecord } from "#core/access/token-record.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { makeEntry, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, type OpenStores } from "./stores.ts";

export function tokenStoreContract(open: OpenStores): void {
  test("a token is found as it was stored", async () => {
    const { tokens } = await open();
    for (const fields of [
      {},
      { level: "vendor", sites: new Set([newId(), newId()]) },
      { sites: new Set<string>() },
      { sites: new Set(OBJECT_PROPERTY_NAMES) },
      { expiresAt: at(1), revokedAt: at(2), lastUsedAt: at(3) },
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((name) => ({ name })),
    ] satisfies Partial<TokenRecord>[]) {
      const token = makeToken(fields);
      await tokens.insert(token, makeEntry());
      expect(await tokens.find(token.id)).toEqual(token);
    }
  });

  test("an id that no token has finds and revokes nothing", async () => {
    const stores = await open();
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId()]) {
      expect(await stores.tokens.find(id)).toBeUndefined();
      expect(await stores.tokens.revoke(id, NOON, makeEntry())).toBe(false);
    }
    expect(await auditIds(stores)).toEqual([]);
  });

  test("all tokens come in the order of their ids, the revoked and expired among them", async () => {
    const { tokens } = await open();
    expect(await tokens.all()).toEqual([]);
    const made = [makeToken({ revokedAt: NOON }), makeToken(), makeToken({ expiresAt: instant(0) })];
    for (const token of made.toReversed()) await tokens.insert(token, makeEntry());
    expect(await tokens.all()).toEqual(made);
  });

  test("a token is revoked once: the second time changes nothing, not even the audit log", async () => {
    const stores = await open();
    const { tokens } = stores;
    const [token, other] = [makeToken(), makeToken()];
    const kept = [makeEntry(), makeEntry(), makeEntry()] as const;
    await tokens.insert(token, kept[0]);
    await tokens.insert(other, kept[1]);
    expect(await tokens.revoke(token.id, at(1), kept[2])).toBe(true);
    expect(await tokens.revoke(token.id, at(2), makeEntry())).toBe(false);
    expect(await tokens.all()).toEqual([{ ...token, revokedAt: at(1) }, other]);
    expect(await auditIds(stores)).toEqual(kept.map((entry) => entry.id));
  });

  test("of 50 concurrent revocations exactly one says it was it", async () => {
    const stores = await open();
    const token = makeToken();
    await stores.tokens.insert(token, makeEntry());
    const revoke = (_: unknown, i: number) => stores.tokens.revoke(token.id, at(i), makeEntry());
    const answers = await Promise.all(Array.from({ length: 50 }, revoke));
    expect(answers.filter((was) => was)).toHaveLength(1);
    expect((await stores.tokens.find(token.id))?.revokedAt).toBe(at(answers.indexOf(true)));
    expect(await auditIds(stores)).toHaveLength(2);
  });

  test("the last use only moves forward", async () => {
    const { tokens } = await open();
    const [token, other, unused] = [makeToken(), makeToken({ lastUsedAt: at(4) }), makeToken()];
    for (const made of [token, other, unused]) await tokens.insert(made, makeEntry());
    const uses = async (...list: readonly (readonly [string, Instant])[]) => {
      await tokens.noteUse(new Map(list));
      return (await tokens.all()).map((stored) => stored.lastUsedAt);
    };
    expect(await uses([token.id, at(1)])).toEqual([at(1), at(4), undefined]);
    expect(await uses([token.id, at(3)], [other.id, at(3)])).toEqual([at(3), at(4), undefined]);
    expect(await uses([token.id, at(2)], [other.id, at(5)])).toEqual([at(3), at(5), undefined]);
    expect(await uses([newId(), at(9)], ["__proto__", at(9)])).toEqual([at(3), at(5), undefined]);
    expect(await uses()).toEqual([at(3), at(5), undefined]);
  });

  test("the admin token is made, then replaced, and stays live; when it was made and used stays known", async () => {
    const stores = await open();
    const { tokens } = stores;
    const admin = makeToken({ id: ADMIN_TOKEN_ID, name: "admin", level: "system", hash: hashOf(1) });
    await tokens.putAdmin(admin);
    expect(await tokens.find(ADMIN_TOKEN_ID)).toEqual(admin);
    await tokens.noteUse(new Map([[ADMIN_TOKEN_ID, at(5)]]));
    await tokens.revoke(ADMIN_TOKEN_ID, at(6), makeEntry());
    await tokens.putAdmin({ ...admin, hash: hashOf(2), createdAt: at(7) });
    expect(await tokens.all()).toEqual([{ ...admin, hash: hashOf(2), lastUsedAt: at(5) }]);
  });

  test("a write whose audit entry cannot be stored is not stored either", async () => {
    const stores = await open();
    const token = makeToken();
    await stores.tokens.insert(token, makeEntry());
    await expectNothingWithoutItsTrail(stores, (entry) => stores.tokens.insert(makeToken(), entry));
    await expectNothingWithoutItsTrail(stores, (entry) => stores.tokens.revoke(token.id, NOON, entry));
    await expect(stores.tokens.insert(token, makeEntry())).rejects.toThrow();
    expect(await auditIds(stores)).toHaveLength(1);
  });
}

function at(afterNoon: number): Instant {
  return instant(NOON + afterNoon);
}

function hashOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte);
}
