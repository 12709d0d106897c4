import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { makeEntry, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES } from "../support/records.ts";
import { auditIds, expectNothingWithoutItsTrail, type OpenStores } from "./stores.ts";

const SECRET = new Uint8Array([1, 2, 3]);
const at = (seconds: number) => instant(NOON + seconds * 1000);

async function withPerson(open: OpenStores) {
  const stores = await open();
  const add = async () => {
    const id = newId();
    const settings = { mail: `${id}@example.org`, language: undefined, timeFormat: undefined, provider: undefined };
    const account = { token: makeToken({ id, accountId: id }), settings, password: undefined };
    await stores.accounts.insert(account, makeEntry());
    return id;
  };
  const confirm = (accountId: string, step = 5, recoveryHashes: readonly string[] = ["a", "b"]) =>
    stores.secondFactors.confirm({ accountId, step, at: at(1), recoveryHashes }, makeEntry());
  const insertStep = (accountId: string, hash: string, from = 0) =>
    stores.secondFactors.insertStep(
      { hash, accountId, tokenHash: SECRET, createdAt: at(from), expiresAt: at(from + 10), providerSession: undefined },
      2,
    );
  return { stores, factors: stores.secondFactors, id: await add(), add, confirm, insertStep };
}

export function secondFactorStoreContract(open: OpenStores): void {
  test("a second factor is offered, offered anew, confirmed once, and then not replaced", async () => {
    const { stores, factors, id, confirm } = await withPerson(open);
    expect([await factors.find(id), await confirm(id)]).toEqual([undefined, false]);
    expect(await factors.offer(id, new Uint8Array([9]))).toBe(true);
    expect(await factors.offer(id, SECRET)).toBe(true);
    const offered = { accountId: id, sealedSecret: SECRET, confirmedAt: undefined, lastStep: 0, recoveryCodesLeft: 0 };
    expect(await factors.find(id)).toEqual(offered);
    expect((await stores.accounts.find(id))?.hasSecondFactor).toBe(false);
    expect([await confirm(id), await confirm(id, 6)]).toEqual([true, false]);
    expect(await factors.offer(id, new Uint8Array([9]))).toBe(false);
    expect(await factors.find(id)).toEqual({ ...offered, confirmedAt: at(1), lastStep: 5, recoveryCodesLeft: 2 });
    expect((await stores.accounts.find(id))?.hasSecondFactor).toBe(true);
    expect(await stores.accounts.all()).toHaveLength(1);
  });

  test("a time step is spent once, in rising order, and not before the confirmation", async () => {
    const { factors, id, confirm } = await withPerson(open);
    await factors.offer(id, SECRET);
    expect(await factors.spend(id, { step: 9 })).toBe(false);
    await confirm(id, 5);
    expect(await factors.spend(id, { step: 5 })).toBe(false);
    const spent = await Promise.all([6, 6, 6, 6].map((step) => factors.spend(id, { step })));
    expect(spent.filter(Boolean)).toEqual([true]);
    expect([await factors.spend(id, { step: 4 }), await factors.spend(id, { step: 7 })]).toEqual([false, true]);
  });

  test("a recovery code is spent once, by its person alone, and not after it was replaced", async () => {
    const { factors, id, add, confirm } = await withPerson(open);
    const other = await add();
    for (const one of [id, other]) await factors.offer(one, SECRET);
    await confirm(id, 5, ["a", "b", "c"]);
    await confirm(other, 5, ["d"]);
    expect(await factors.spend(other, { recoveryHash: "a" })).toBe(false);
    const spent = await Promise.all([1, 2, 3].map(() => factors.spend(id, { recoveryHash: "a" })));
    expect(spent.filter(Boolean)).toEqual([true]);
    expect((await factors.find(id))?.recoveryCodesLeft).toBe(2);
    expect(await factors.replaceRecoveryCodes(id, ["e"], makeEntry())).toBe(true);
    expect(await factors.spend(id, { recoveryHash: "b" })).toBe(false);
    expect((await factors.find(id))?.recoveryCodesLeft).toBe(1);
    expect((await factors.find(other))?.recoveryCodesLeft).toBe(1);
  });

  test("an id that nobody has is offered, spends and removes nothing", async () => {
    const { stores, factors } = await withPerson(open);
    const before = (await auditIds(stores)).length;
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId()]) {
      expect(await factors.offer(id, SECRET)).toBe(false);
      expect(await factors.find(id)).toBeUndefined();
      expect(await factors.spend(id, { step: 9 })).toBe(false);
      expect(await factors.spend(id, { recoveryHash: id })).toBe(false);
      expect(await factors.replaceRecoveryCodes(id, ["x"], makeEntry())).toBe(false);
      expect(await factors.remove(id, makeEntry())).toBe(false);
      expect([await factors.findStep(id), await factors.takeStep(id, at(0))]).toEqual([undefined, false]);
    }
    expect((await auditIds(stores)).length).toBe(before);
  });

  test("what is removed or deleted leaves nothing, also none of the sign-ins that wait", async () => {
    const { stores, factors, id, confirm, insertStep } = await withPerson(open);
    for (const end of [() => factors.remove(id, makeEntry()), () => stores.accounts.delete(id, NOON, makeEntry())]) {
      await factors.offer(id, SECRET);
      await confirm(id);
      await insertStep(id, "s");
      await end();
      expect([await factors.find(id), await factors.findStep("s")]).toEqual([undefined, undefined]);
      expect(await factors.spend(id, { recoveryHash: "a" })).toBe(false);
    }
  });

  test("a step is found as it was stored, is taken once and in its time, and ends with the password", async () => {
    const { stores, factors, id, insertStep } = await withPerson(open);
    await insertStep(id, "s");
    expect(await factors.findStep("s")).toEqual({
      ...{ hash: "s", accountId: id, tokenHash: SECRET },
      ...{ createdAt: at(0), expiresAt: at(10), providerSession: undefined },
    });
    const taken = await Promise.all([1, 2, 3].map(() => factors.takeStep("s", at(9))));
    expect(taken.filter(Boolean)).toEqual([true]);
    await insertStep(id, "late");
    expect(await factors.takeStep("late", at(10))).toBe(false);
    for (const [turn, change] of [{ password: "$argon2id$other" }, { isSuspended: true }].entries()) {
      await insertStep(id, `t${turn}`);
      await stores.accounts.change({ id, change, at: NOON, hash: SECRET }, makeEntry());
      expect(await factors.findStep(`t${turn}`)).toBeUndefined();
    }
  });

  test("beyond so many steps of a person the oldest end, and those that have expired", async () => {
    const { factors, id, add, insertStep } = await withPerson(open);
    const other = await add();
    for (const [turn, hash] of ["a", "b", "c"].entries()) await insertStep(id, hash, turn);
    await insertStep(other, "d", 3);
    const left = async () => {
      const found = await Promise.all(["a", "b", "c", "d", "e"].map((hash) => factors.findStep(hash)));
      return found.flatMap((step) => step?.hash ?? []).join("");
    };
    expect(await left()).toBe("bcd");
    await insertStep(other, "e", 12);
    expect(await left()).toBe("de");
  });

  test("a change whose audit entry cannot be stored is not stored either", async () => {
    const { stores, factors, id, confirm } = await withPerson(open);
    await factors.offer(id, SECRET);
    const confirmed = { accountId: id, step: 5, at: at(1), recoveryHashes: ["a"] };
    await expectNothingWithoutItsTrail(stores, (entry) => factors.confirm(confirmed, entry));
    await confirm(id);
    await expectNothingWithoutItsTrail(stores, (entry) => factors.replaceRecoveryCodes(id, ["z"], entry));
    await expectNothingWithoutItsTrail(stores, (entry) => factors.remove(id, entry));
    expect((await factors.find(id))?.recoveryCodesLeft).toBe(2);
  });
}
