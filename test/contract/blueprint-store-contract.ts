import { expect, test } from "vitest";
import { makeBlueprint, makeEntry, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { ALL, auditIds, expectNothingWithoutItsTrail, type OpenStores, pagingContract } from "./stores.ts";

const NO_BYTES = new Uint8Array();

export function blueprintStoreContract(open: OpenStores): void {
  test("a blueprint is found as it was stored, and its package byte for byte", async () => {
    const { blueprints } = await open();
    const packages = [NO_BYTES, Uint8Array.of(0, 255, 0, 10, 13), new Uint8Array(1_048_576).fill(0xa5)];
    for (const content of packages) {
      const given = makeBlueprint({ size: content.length, implements: ["battery", "lib.energy.battery"] });
      const stored = await blueprints.insert(given, content, makeEntry());
      expect(await blueprints.find(given.id)).toEqual(stored);
      expect(Buffer.from((await blueprints.content(given.id)) ?? []).equals(content)).toBe(true);
      expect(await blueprints.content(given.id)).toBeInstanceOf(Uint8Array);
    }
  });

  test.each([
    ["nobody", undefined],
    ["a token", { tokenId: "t", name: "dashboard", door: "token" }],
    ["a person", { tokenId: "s", name: 'Ada "the first"', accountId: "a", door: "page" }],
    ["somebody at a gateway of a later version", { tokenId: "t", name: "", reportedBy: "gateway" }],
  ] as const)("a blueprint names who uploaded it: %s", async (_, uploadedBy) => {
    const { blueprints } = await open();
    const given = makeBlueprint({ uploadedBy });
    const stored = await blueprints.insert(given, NO_BYTES, makeEntry());
    expect((await blueprints.find(given.id))?.uploadedBy).toEqual(uploadedBy);
    expect(await blueprints.findByDigest(given.digest)).toEqual(stored);
  });

  test("an id that no blueprint has finds nothing", async () => {
    const { blueprints } = await open();
    for (const id of [...OBJECT_PROPERTY_NAMES, "", newId()]) {
      expect(await blueprints.find(id)).toBeUndefined();
      expect(await blueprints.content(id)).toBeUndefined();
    }
  });

  test("versions count up from 1 for each display name", async () => {
    const { blueprints } = await open();
    for (const displayName of ["Battery", "battery", ...OBJECT_PROPERTY_NAMES, ...UNUSUAL]) {
      for (const version of [1, 2, 3]) {
        const given = makeBlueprint({ displayName });
        expect(await blueprints.insert(given, NO_BYTES, makeEntry())).toEqual({ ...given, version });
      }
    }
  });

  test("a package that is stored already gives the blueprint that has it, and nothing changes", async () => {
    const stores = await open();
    const { blueprints } = stores;
    const entry = makeEntry();
    const first = await blueprints.insert(makeBlueprint({ digest: "d" }), Uint8Array.of(1), entry);
    const again = makeBlueprint({ digest: "d", displayName: "Other name", implements: ["battery"] });
    expect(await blueprints.insert(again, Uint8Array.of(2), makeEntry())).toEqual(first);
    expect(await blueprints.list(ALL)).toEqual({ items: [first], total: 1 });
    expect(await blueprints.content(first.id)).toEqual(Uint8Array.of(1));
    expect(await blueprints.find(again.id)).toBeUndefined();
    expect(await auditIds(stores)).toEqual([entry.id]);
  });

  test("50 concurrent uploads under one name get the versions 1 to 50", async () => {
    const { blueprints } = await open();
    const upload = () => blueprints.insert(makeBlueprint(), NO_BYTES, makeEntry());
    const stored = await Promise.all(Array.from({ length: 50 }, upload));
    const versions = stored.map((blueprint) => blueprint.version).sort((one, other) => one - other);
    expect(versions).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
  });

  test("50 concurrent uploads of one package give one blueprint", async () => {
    const stores = await open();
    const upload = () => stores.blueprints.insert(makeBlueprint({ digest: "d" }), NO_BYTES, makeEntry());
    const stored = await Promise.all(Array.from({ length: 50 }, upload));
    const { items } = await stores.blueprints.list(ALL);
    expect(items).toHaveLength(1);
    expect(stored).toEqual(Array(50).fill(items[0]));
    expect(await auditIds(stores)).toHaveLength(1);
  });

  pagingContract(
    open,
    async ({ blueprints }) => {
      const made = Array.from({ length: 5 }, () => makeBlueprint());
      for (const blueprint of made) await blueprints.insert(blueprint, NO_BYTES, makeEntry());
      return made.map((blueprint) => blueprint.id).reverse();
    },
    ({ blueprints }, page) => blueprints.list(page),
  );

  test("every blueprint that lists a profile is among the implementing ones, no other is", async () => {
    const { blueprints } = await open();
    const lists = [[], ["battery"], ["__proto__", "constructor"], [], ["battery", "pv"]];
    const made = lists.map((profiles) => makeBlueprint({ implements: profiles }));
    for (const blueprint of made) await blueprints.insert(blueprint, NO_BYTES, makeEntry());
    const found = new Map((await blueprints.implementing()).map(({ id, implements: list }) => [id, list]));
    const expected = made.filter((blueprint) => blueprint.implements.length > 0);
    expect(found).toEqual(new Map(expected.map((blueprint) => [blueprint.id, blueprint.implements])));
  });

  test("a blueprint whose audit entry cannot be stored is not stored either", async () => {
    const stores = await open();
    await stores.blueprints.insert(makeBlueprint(), NO_BYTES, makeEntry());
    const lost = makeBlueprint();
    await expectNothingWithoutItsTrail(stores, (entry) => stores.blueprints.insert(lost, NO_BYTES, entry));
    expect(await stores.blueprints.content(lost.id)).toBeUndefined();
  });
}
