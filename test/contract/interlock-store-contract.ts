import { expect, test } from "vitest";
import { MOST_INTERLOCKS } from "#core/interlock/interlock.ts";
import type { InterlockReport } from "#core/interlock/interlock-report.ts";
import { instant } from "#core/time/instant.ts";
import type { NewInterlock } from "#service/ports/interlock-store.ts";
import { makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const DOCUMENT = {
  kind: "condition",
  display_name: "Zu heiß 🔥 '; --",
  when: { device: "room", attribute: "temperature", above: 40 },
  limits: [{ device: "heater", control: "power", max: 0 }],
};

const REPORT: InterlockReport = {
  state: "holding",
  since: NOON,
  why: "temperature of room is above 40",
  limits: [{ deviceId: "d", control: "power", unit: "W", kind: "max", value: 0.25, isHolding: true }],
  measured: [{ deviceId: "d", attribute: "temperature", unit: "Cel" }],
  problems: [{ code: "unknown_device", pointer: "/when/device", message: "is no device of the site" }],
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
      stores.interlocks.remember([{ siteId, name, revision, memory }], { at: instant(at), unsure: [] });
    const memories = async () => (await stores.interlocks.all()).map((one) => one.memory);
    await remember("a", 1, 100);
    await remember("b", 1, 200);
    // Of a revision that is not there any more.
    await remember("c", 7, 300);
    expect(await memories()).toEqual([{ value: memory, at: 300 }, { value: memory, at: 300 }, undefined]);
    // What is unsure of b does not become right by what is known of others.
    await stores.interlocks.remember([], { at: instant(400), unsure: [{ siteId, name: "b" }] });
    expect(await memories()).toEqual([{ value: memory, at: 400 }, { value: memory, at: 300 }, undefined]);
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

  test("what it demands is stored for its revision, and is noted for a cloud as changes are; all of them once for each", async () => {
    const { stores, siteId } = await withSite(open);
    const { interlocks, uplinks } = stores;
    await interlocks.put(makeInterlock(siteId), makeEntry());
    expect(await interlocks.report({ siteId, name: "hot", revision: 2, report: REPORT })).toBe(false);
    expect(await interlocks.report({ siteId, name: "hot", revision: 1, report: REPORT })).toBe(true);
    expect(await interlocks.ofSite(siteId)).toMatchObject([{ revision: 1, report: REPORT }]);
    const credential = new TextEncoder().encode("x");
    const joined = { url: "https://cloud.example", gatewayId: newId(), credential, joinedAt: NOON };
    await uplinks.put({ ...joined, historyBefore: undefined, confirmed: 0, cloudEpoch: undefined }, makeEntry());
    let at = await uplinks.latest();
    const noted = async () => {
      const { keys, upTo } = await uplinks.changesAfter(at, 100);
      at = upTo;
      return keys.filter(({ kind }) => kind !== "audit").map(({ kind, key }) => `${kind} ${key}`);
    };
    const it = [`interlock ${siteId} hot`];
    await uplinks.noteInterlocks("c");
    expect(await noted()).toEqual(it);
    await uplinks.noteInterlocks("c");
    expect(await noted()).toEqual([]);
    await interlocks.report({ siteId, name: "hot", revision: 7, report: REPORT });
    expect(await noted()).toEqual([]);
    await interlocks.report({ siteId, name: "hot", revision: 1, report: REPORT });
    expect(await noted()).toEqual(it);
    await interlocks.put(makeInterlock(siteId), makeEntry());
    expect(await noted()).toEqual(it);
    // Nobody knows yet what the new one demands.
    expect((await interlocks.ofSite(siteId))[0]?.report).toBeUndefined();
    await interlocks.delete({ siteId, name: "hot", expected: undefined }, makeEntry());
    expect(await noted()).toEqual(it);
  });

  test("copies come from the gateway of the site alone, are not evaluated here, and cannot be changed here", async () => {
    const { copies, interlocks } = await open();
    const site = makeSite();
    await copies.site("g1", site, NOON);
    const name = { siteId: site.id, name: "hot" };
    const copy = { revision: 7, updatedAt: NOON, document: DOCUMENT, report: REPORT };
    await copies.interlock("g1", name, copy);
    expect(await interlocks.ofSite(site.id)).toMatchObject([{ ...name, ...copy }]);
    expect(await interlocks.all()).toEqual([]);
    await expectRefusal(copies.interlock("g2", name, null), "conflict");
    await expectRefusal(interlocks.put(makeInterlock(site.id), makeEntry()), "owned_by_gateway");
    await expectRefusal(interlocks.delete({ ...name, expected: undefined }, makeEntry()), "owned_by_gateway");
    await copies.interlock("g1", name, null);
    expect(await interlocks.ofSite(site.id)).toEqual([]);
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
