import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { MAX_OWN_VIEWS, MAX_SHARED_VIEWS, type View } from "#core/view/view.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeEntry, makeSite, makeToken, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import {
  ALL,
  auditIds,
  expectNothingWithoutItsTrail,
  expectRefusal,
  type OpenStores,
  pagingContract,
  refusalsOf,
} from "./stores.ts";
import { withSite } from "./with-site.ts";

const LATER = instant(NOON + 60_000);

function makeView(siteId: string, fields: Partial<View> = {}): View {
  const rest = { kind: "explore", name: "Day", ownerId: undefined, isStart: false, revision: 1 } as const;
  return { id: newId(), siteId, ...rest, createdAt: NOON, updatedAt: NOON, content: '{"query":""}', ...fields };
}

async function withOwner(open: OpenStores) {
  const { stores, siteId } = await withSite(open);
  const token = makeToken();
  await stores.tokens.insert(token, makeEntry());
  return { stores, siteId, ownerId: token.id };
}

const namesOf = async ({ views }: SubjectStores, siteId: string, ownerId: string) =>
  (await views.list({ siteId, ownerId, kinds: undefined }, ALL)).items.map(({ name }) => name);

export function viewStoreContract(open: OpenStores): void {
  test("a view is found as it was stored, on its own site alone", async () => {
    const { stores, siteId, ownerId } = await withOwner(open);
    const other = makeSite();
    await stores.sites.insert(other, makeEntry());
    for (const fields of [
      {},
      { ownerId, kind: "dashboard", isStart: true },
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((name) => ({ name, content: JSON.stringify({ query: name }) })),
    ] satisfies Partial<View>[]) {
      const view = makeView(siteId, fields);
      await stores.views.insert(view, makeEntry());
      expect(await stores.views.find(siteId, view.id)).toStrictEqual(view);
      expect(await stores.views.find(other.id, view.id)).toBeUndefined();
      expect(await stores.views.delete(other.id, view.id, makeEntry())).toBe(false);
    }
  });

  test("a list has the shared views and one's own, by name, of the kinds that are asked for", async () => {
    const { stores, siteId, ownerId } = await withOwner(open);
    const other = makeToken();
    await stores.tokens.insert(other, makeEntry());
    for (const fields of [
      { name: "b" },
      { name: "a", ownerId },
      { name: "c", ownerId: other.id },
      { name: "D", kind: "dashboard" },
    ] satisfies Partial<View>[])
      await stores.views.insert(makeView(siteId, fields), makeEntry());
    expect(await namesOf(stores, siteId, ownerId)).toEqual(["D", "a", "b"]);
    expect(await namesOf(stores, siteId, other.id)).toEqual(["D", "b", "c"]);
    const dashboards = await stores.views.list({ siteId, ownerId, kinds: ["dashboard"] }, ALL);
    expect([dashboards.total, dashboards.items[0]?.name]).toEqual([1, "D"]);
  });

  pagingContract(
    open,
    async (stores) => {
      const site = makeSite({ id: "s" });
      await stores.sites.insert(site, makeEntry());
      const made = Array.from({ length: 5 }, () => makeView(site.id));
      for (const view of made.toReversed()) await stores.views.insert(view, makeEntry());
      return made.map(({ id }) => id);
    },
    ({ views }, page) => views.list({ siteId: "s", ownerId: "nobody", kinds: undefined }, page),
  );

  test("of two changes of the same revision one is made, and the other is refused", async () => {
    const { stores, siteId } = await withOwner(open);
    const view = makeView(siteId);
    await stores.views.insert(view, makeEntry());
    const rename = (name: string) =>
      stores.views.update({ siteId, id: view.id, revision: 1, change: { name }, at: LATER }, makeEntry());
    const results = await Promise.allSettled([rename("first"), rename("second")]);
    expect(refusalsOf(results)).toEqual(["conflict"]);
    const changed = await stores.views.find(siteId, view.id);
    expect(changed).toMatchObject({ revision: 2, updatedAt: LATER, content: view.content });
    const gone = { siteId, id: newId(), revision: 1, change: {}, at: LATER };
    expect(await stores.views.update(gone, makeEntry())).toBeUndefined();
  });

  test("there is one start for each person, and one for all", async () => {
    const { stores, siteId, ownerId } = await withOwner(open);
    const kind = "dashboard";
    const own = [makeView(siteId, { kind, ownerId, isStart: true }), makeView(siteId, { kind, ownerId })];
    const shared = makeView(siteId, { kind, isStart: true });
    for (const view of [...own, shared]) await stores.views.insert(view, makeEntry());
    const second = { siteId, id: own[1]?.id ?? "", revision: 1, at: LATER };
    await stores.views.update({ ...second, change: { isStart: true } }, makeEntry());
    const starts = async () =>
      (await stores.views.list({ siteId, ownerId, kinds: undefined }, ALL)).items
        .filter(({ isStart }) => isStart)
        .map(({ id }) => id)
        .sort();
    expect(await starts()).toEqual([second.id, shared.id].sort());
    await stores.views.update({ ...second, revision: 2, change: { ownerId: undefined } }, makeEntry());
    expect(await starts()).toEqual([second.id]);
  });

  test("a person and a site have so many views, and nobody takes the room of others", async () => {
    const { stores, siteId, ownerId } = await withOwner(open);
    const fill = async (count: number, fields: Partial<View>) =>
      await Promise.all(
        Array.from({ length: count }, () => stores.views.insert(makeView(siteId, fields), makeEntry())),
      );
    await fill(MAX_OWN_VIEWS, { ownerId });
    await expectRefusal(stores.views.insert(makeView(siteId, { ownerId }), makeEntry()), "conflict");
    await fill(MAX_SHARED_VIEWS - 1, {});
    const last = makeView(siteId);
    await stores.views.insert(last, makeEntry());
    await expectRefusal(stores.views.insert(makeView(siteId), makeEntry()), "conflict");
    const take = { siteId, id: last.id, revision: 1, change: { ownerId }, at: LATER };
    await expectRefusal(stores.views.update(take, makeEntry()), "conflict");
  });

  test("views go with their site, and a person's own with the token", async () => {
    const { stores, siteId, ownerId } = await withOwner(open);
    const [own, shared] = [makeView(siteId, { ownerId }), makeView(siteId)];
    for (const view of [own, shared]) await stores.views.insert(view, makeEntry());
    await stores.tokens.revoke(ownerId, LATER, makeEntry());
    expect(await stores.views.find(siteId, own.id)).toBeUndefined();
    await expectRefusal(stores.views.insert(makeView(siteId, { ownerId }), makeEntry()), "not_found");
    await stores.sites.delete(siteId, makeEntry());
    expect(await stores.views.find(siteId, shared.id)).toBeUndefined();
    await expectRefusal(stores.views.insert(makeView(siteId), makeEntry()), "not_found");
  });

  test("a view and its audit entry are stored together, or neither is", async () => {
    const { stores, siteId } = await withOwner(open);
    const view = makeView(siteId);
    await stores.views.insert(view, makeEntry());
    await expectNothingWithoutItsTrail(stores, (entry) => stores.views.insert(makeView(siteId), entry));
    await expectNothingWithoutItsTrail(stores, (entry) => stores.views.delete(siteId, view.id, entry));
    const change = { siteId, id: view.id, revision: 1, change: { name: "x" }, at: LATER };
    await expectNothingWithoutItsTrail(stores, (entry) => stores.views.update(change, entry));
    expect(await stores.views.find(siteId, view.id)).toEqual(view);
    const entry = makeEntry();
    await stores.views.update(change, entry);
    expect(await auditIds(stores)).toContain(entry.id);
  });
}
