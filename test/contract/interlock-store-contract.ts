import { expect, test } from "vitest";
import { MOST_INTERLOCKS } from "#core/interlock/interlock.ts";
import { instant } from "#core/time/instant.ts";
import type { NewInterlock } from "#service/ports/interlock-store.ts";
import { makeEntry, NOON } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const DOCUMENT = {
  kind: "condition",
  display_name: "Zu heiß 🔥 '; --",
  when: { device: "room", attribute: "temperature", above: 40 },
  limits: [{ device: "heater", control: "power", max: 0 }],
};

const makeInterlock = (siteId: string, fields: Partial<NewInterlock> = {}): NewInterlock => ({
  siteId,
  name: "hot",
  updatedAt: NOON,
  document: DOCUMENT,
  devices: new Map([["room", "d1"]]),
  expected: undefined,
  ...fields,
});

export function interlockStoreContract(open: OpenStores): void {
  test("an interlock is read as it was stored, and its revision rises", async () => {
    const { stores, siteId } = await withSite(open);
    expect(await stores.interlocks.put(makeInterlock(siteId), makeEntry())).toBe(1);
    expect(await stores.interlocks.put(makeInterlock(siteId, { name: "a" }), makeEntry())).toBe(1);
    expect(await stores.interlocks.put(makeInterlock(siteId, { expected: 1 }), makeEntry())).toBe(2);
    const [first, second] = await stores.interlocks.ofSite(siteId);
    expect([first?.name, second]).toMatchObject([
      "a",
      {
        siteId,
        name: "hot",
        revision: 2,
        updatedAt: NOON,
        document: DOCUMENT,
        interlock: { kind: "condition", holdMs: 0 },
        devices: new Map([["room", "d1"]]),
      },
    ]);
    expect(await stores.interlocks.all()).toHaveLength(2);
  });

  test("a change of what somebody else has changed is refused", async () => {
    const { stores, siteId } = await withSite(open);
    await expectRefusal(stores.interlocks.put(makeInterlock(siteId, { expected: 1 }), makeEntry()), "conflict");
    await stores.interlocks.put(makeInterlock(siteId, { expected: 0 }), makeEntry());
    await expectRefusal(stores.interlocks.put(makeInterlock(siteId, { expected: 0 }), makeEntry()), "conflict");
    const named = { siteId, name: "hot" };
    await expectRefusal(stores.interlocks.delete({ ...named, expected: 2 }, makeEntry()), "conflict");
    expect(await stores.interlocks.delete({ ...named, expected: 1 }, makeEntry())).toBe(true);
    expect(await stores.interlocks.delete({ ...named, expected: undefined }, makeEntry())).toBe(false);
  });

  test("what an interlock remembers is read as it was stored, until the interlock is changed", async () => {
    const { stores, siteId } = await withSite(open);
    for (const name of ["a", "b", "c"]) await stores.interlocks.put(makeInterlock(siteId, { name }), makeEntry());
    const memory = {
      kind: "condition",
      state: "holding",
      since: 5,
      isTrue: true,
      trueSince: 4,
      knownAt: undefined,
    } as const;
    const remember = (name: string, revision: number, at: number) =>
      stores.interlocks.remember([{ siteId, name, revision, memory }], instant(at));
    const memories = async () => (await stores.interlocks.all()).map((one) => one.memory);
    await remember("a", 1, 100);
    await remember("b", 1, 200);
    // Of a revision that is not there any more.
    await remember("c", 7, 300);
    expect(await memories()).toEqual([{ value: memory, at: 300 }, { value: memory, at: 300 }, undefined]);
    await stores.interlocks.remember([], instant(400));
    await stores.interlocks.put(makeInterlock(siteId, { name: "b" }), makeEntry());
    expect(await memories()).toEqual([{ value: memory, at: 400 }, undefined, undefined]);
  });

  test("only what was done is in the audit log", async () => {
    const { stores, siteId } = await withSite(open);
    const [put, refused, gone] = [makeEntry(), makeEntry(), makeEntry()];
    await stores.interlocks.put(makeInterlock(siteId), put);
    await expectRefusal(stores.interlocks.put(makeInterlock(siteId, { expected: 7 }), refused), "conflict");
    await stores.interlocks.delete({ siteId, name: "none", expected: undefined }, gone);
    const ids = await auditIds(stores);
    expect([put, refused, gone].map(({ id }) => ids.includes(id))).toEqual([true, false, false]);
  });

  test("a site has a limited number, and interlocks go with it", async () => {
    const { stores, siteId } = await withSite(open);
    for (let n = 0; n < MOST_INTERLOCKS; n += 1) {
      await stores.interlocks.put(makeInterlock(siteId, { name: `n${n}` }), makeEntry());
    }
    await expectRefusal(stores.interlocks.put(makeInterlock(siteId), makeEntry()), "conflict");
    expect(await stores.interlocks.put(makeInterlock(siteId, { name: "n1" }), makeEntry())).toBe(2);
    await stores.sites.delete(siteId, makeEntry());
    expect(await stores.interlocks.ofSite(siteId)).toEqual([]);
    await expectRefusal(stores.interlocks.put(makeInterlock(siteId), makeEntry()), "not_found");
  });
}
