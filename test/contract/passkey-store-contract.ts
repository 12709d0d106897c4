import { expect, test } from "vitest";
import type { Passkey } from "#core/access/passkey.ts";
import { instant } from "#core/time/instant.ts";
import { makeEntry, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

const at = (seconds: number) => instant(NOON + seconds * 1000);
let keys = 0;
const challenge = (key = `challenge ${++keys}`) => ({ key, expiresAt: at(100) });

async function withPerson(open: OpenStores) {
  const stores = await open();
  const addPerson = async () => {
    const id = newId();
    const settings = { mail: `${id}@example.org`, language: undefined, timeFormat: undefined, provider: undefined };
    await stores.accounts.insert(
      { token: makeToken({ id, accountId: id }), settings, password: undefined },
      makeEntry(),
    );
    return id;
  };
  const accountId = await addPerson();
  const make = (more: Partial<Passkey> = {}): Passkey => ({
    ...{ id: `key${++keys}`, accountId, name: "Phone", host: "busbar.example.org", publicKey: new Uint8Array([1, 2]) },
    ...{ useCount: 0, createdAt: at(0), lastUsedAt: undefined },
    ...more,
  });
  const insert = (passkey: Passkey, used = challenge(), entry = makeEntry()) =>
    stores.passkeys.insert({ passkey, challenge: used, most: 3 }, entry);
  const use = (id: string, useCount = 0, used = challenge(), seconds = 1) =>
    stores.passkeys.use({ id, useCount, challenge: used, at: at(seconds) });
  return { stores, passkeys: stores.passkeys, accountId, addPerson, make, insert, use };
}

export function passkeyStoreContract(open: OpenStores): void {
  test("passkeys are found as stored, in the order in which they were added", async () => {
    const { passkeys, accountId, make, insert } = await withPerson(open);
    const made = [
      make({ name: UNUSUAL[0] ?? "" }),
      make({ createdAt: at(1), useCount: 7 }),
      make({ createdAt: at(2) }),
    ];
    for (const passkey of made) {
      expect(await insert(passkey)).toBe(true);
      expect(await passkeys.find(passkey.id)).toEqual(passkey);
    }
    expect(await passkeys.ofAccount(accountId)).toEqual(made);
  });

  test("beyond so many of a person, and with an id that is taken, none is added", async () => {
    const { passkeys, accountId, addPerson, make, insert } = await withPerson(open);
    const first = make();
    await insert(first);
    await expectRefusal(insert(make({ id: first.id, accountId: await addPerson() })), "conflict");
    await insert(make());
    const rest = await Promise.allSettled([make(), make(), make()].map((passkey) => insert(passkey)));
    expect(rest.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await passkeys.ofAccount(accountId)).toHaveLength(3);
  });

  test("a challenge is used once, by whatever is done with it, until it ends", async () => {
    const { passkeys, make, insert, use } = await withPerson(open);
    const [passkey, used] = [make(), challenge()];
    await insert(passkey, used);
    const other = make();
    expect([await insert(other, used), await passkeys.find(other.id)]).toEqual([false, undefined]);
    expect(await use(passkey.id, 0, used)).toBe(false);
    const fresh = challenge();
    const uses = await Promise.all([1, 2, 3].map(() => use(passkey.id, 0, fresh)));
    expect(uses.filter(Boolean)).toEqual([true]);
    // Whoever reads a challenge refuses an old one: it need not be remembered.
    expect(await use(passkey.id, 0, used, 100)).toBe(true);
  });

  test("the count of a key rises, unless it never counts", async () => {
    const { passkeys, make, insert, use } = await withPerson(open);
    const [silent, counting] = [make(), make({ useCount: 5 })];
    for (const passkey of [silent, counting]) await insert(passkey);
    expect([await use(silent.id), await use(silent.id)]).toEqual([true, true]);
    const results: boolean[] = [];
    for (const count of [5, 6, 6, 0, 4, 9]) results.push(await use(counting.id, count));
    expect(results).toEqual([false, true, false, false, false, true]);
    expect(await passkeys.find(counting.id)).toEqual({ ...counting, useCount: 9, lastUsedAt: at(1) });
  });

  test("one is named and deleted by its person alone, and goes with the person", async () => {
    const { stores, passkeys, accountId, addPerson, make, insert, use } = await withPerson(open);
    const [one, two] = [make(), make()];
    for (const passkey of [one, two]) await insert(passkey);
    const other = await addPerson();
    const before = (await auditIds(stores)).length;
    for (const [id, owner] of [[one.id, other], ...OBJECT_PROPERTY_NAMES.map((name) => [name, accountId])] as const) {
      const named = { id: id ?? "", accountId: owner ?? "" };
      expect(await passkeys.rename({ ...named, name: "x" }, makeEntry())).toBe(false);
      expect(await passkeys.delete(named, makeEntry())).toBe(false);
    }
    expect(await use("constructor")).toBe(false);
    expect((await auditIds(stores)).length).toBe(before);
    expect(await passkeys.rename({ accountId, id: one.id, name: "Laptop" }, makeEntry())).toBe(true);
    expect(await passkeys.find(one.id)).toEqual({ ...one, name: "Laptop" });
    expect(await passkeys.delete({ accountId, id: one.id }, makeEntry())).toBe(true);
    await stores.accounts.delete(accountId, NOON, makeEntry());
    expect([await passkeys.find(one.id), await passkeys.find(two.id)]).toEqual([undefined, undefined]);
  });

  test("a change whose audit entry cannot be stored is not stored either", async () => {
    const { stores, passkeys, accountId, make, insert } = await withPerson(open);
    const passkey = make();
    await expectNothingWithoutItsTrail(stores, (entry) => insert(passkey, challenge(), entry));
    await insert(passkey);
    const named = { accountId, id: passkey.id };
    await expectNothingWithoutItsTrail(stores, (entry) => passkeys.rename({ ...named, name: "x" }, entry));
    await expectNothingWithoutItsTrail(stores, (entry) => passkeys.delete(named, entry));
    expect(await passkeys.find(passkey.id)).toEqual(passkey);
  });
}
