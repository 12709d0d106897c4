import { expect, test } from "vitest";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { AuditFilter, AuditLimits } from "#service/ports/audit-store.ts";
import { makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES, UNUSUAL } from "../support/records.ts";
import { ALL, type OpenStores, pagingContract } from "./stores.ts";

const EVERYTHING: AuditFilter = { reader: { tokenId: "admin", sites: "all" }, newestFirst: false };

/** Only what is older than noon goes. */
const OLDER: AuditLimits = { before: NOON, anonymousBefore: at(-1e9), maxAnonymous: 1e6, maxRefused: 1e6 };

export function auditStoreContract(open: OpenStores): void {
  test("an entry is read as it was written", async () => {
    const { audit } = await open();
    const entries = [
      makeEntry(),
      makeEntry({ actor: { tokenId: "t", name: "Anna: tool", accountId: "anna" }, door: "cli" }),
      makeEntry({ actor: undefined, outcome: "REFUSED", code: "unauthorized", count: 7, lastAt: at(9) }),
      makeEntry({ target: { siteId: "s", deviceId: "d", blueprintId: "b", tokenId: "t" } }),
      makeEntry({ details: JSON.parse('{"__proto__": {"polluted": true}, "list": [1, null, "x"], "constructor": 1}') }),
      ...[...OBJECT_PROPERTY_NAMES, ...UNUSUAL].map((text) =>
        makeEntry({ actor: { tokenId: text, name: text }, action: text, requestId: text, details: { text } }),
      ),
    ];
    await audit.append(entries);
    await audit.append([]);
    expect((await audit.list(EVERYTHING, ALL)).items).toEqual(entries);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("entries come by time and, at the same time, by id; or the other way round", async () => {
    const { audit } = await open();
    const [one, two, three, four] = [entryAt(5), entryAt(1), entryAt(5), entryAt(3)];
    await audit.append([three, one, four, two]);
    const ids = async (newestFirst: boolean) =>
      (await audit.list({ ...EVERYTHING, newestFirst }, ALL)).items.map((entry) => entry.id);
    expect(await ids(false)).toEqual([two, four, one, three].map((entry) => entry.id));
    expect(await ids(true)).toEqual([three, one, four, two].map((entry) => entry.id));
  });

  pagingContract(
    open,
    async ({ audit }) => {
      const made = [1, 2, 2, 3, 4].map(entryAt);
      await audit.append(made.toReversed());
      return made.map((entry) => entry.id);
    },
    ({ audit }, page) => audit.list(EVERYTHING, page),
  );

  test("a list holds the entries that meet every condition, as far as the reader may see", async () => {
    const { audit } = await open();
    const [north, south] = [newId(), newId()];
    const named = {
      a: makeEntry({ at: at(1), action: "site.create", target: { siteId: north }, actor: actor("x") }),
      b: makeEntry({
        at: at(2),
        action: "site.create",
        target: { siteId: south, deviceId: "__proto__" },
        actor: actor("y"),
      }),
      c: makeEntry({ at: at(3), action: "token.create", target: {}, actor: actor("x") }),
      d: makeEntry({
        at: at(4),
        action: "auth",
        target: {},
        actor: undefined,
        outcome: "REFUSED",
        code: "unauthorized",
      }),
      e: makeEntry({
        at: at(5),
        action: "constructor",
        target: { siteId: north, deviceId: "pump" },
        actor: actor("__proto__"),
      }),
    };
    await audit.append(Object.values(named));
    const anna = (tokenId: string) => ({ tokenId, name: tokenId, accountId: "anna" });
    const others = {
      f: makeEntry({ at: at(6), actor: anna("anna"), door: "page" }),
      g: makeEntry({ at: at(7), actor: anna("tool"), door: "cli" }),
    };
    await audit.append(Object.values(others));
    const names = new Map(Object.entries({ ...named, ...others }).map(([name, entry]) => [entry.id, name]));
    const only = (...sites: string[]) => ({ reader: { tokenId: "z", sites: new Set(sites) } });
    const cases: readonly (readonly [Partial<AuditFilter>, string])[] = [
      [{}, "a b c d e f g"],
      [{ since: at(3) }, "c d e f g"],
      [{ before: at(3) }, "a b"],
      [{ since: at(2), before: at(4) }, "b c"],
      [{ since: at(3), before: at(3) }, ""],
      [{ actions: ["site.create"] }, "a b"],
      [{ actions: ["constructor", "auth"] }, "d e"],
      [{ actions: [] }, ""],
      [{ siteIds: [north] }, "a e"],
      [{ siteIds: [north, south, "__proto__"] }, "a b e"],
      [{ deviceIds: ["pump"] }, "e"],
      [{ deviceIds: ["pump", "__proto__", "none"] }, "b e"],
      [{ deviceIds: [] }, ""],
      [{ ...only(north), deviceIds: ["pump", "__proto__"] }, "e"],
      [{ deviceIds: ["pump"], siteIds: [south] }, ""],
      [{ outcomes: ["REFUSED"] }, "d"],
      [{ outcomes: ["OK", "REFUSED"], since: at(4) }, "d e f g"],
      [{ actors: ["anna"] }, "f g"],
      [{ actors: ["tool", "x"] }, "a c g"],
      [{ actors: ["__proto__"] }, "e"],
      [{ actors: [] }, ""],
      [{ actors: ["anna"], doors: ["page"] }, "f"],
      [{ doors: ["cli", "page"] }, "f g"],
      [{ doors: ["rule"] }, ""],
      [{ ...only(north), actors: ["anna", "x"] }, "a"],
      [only(north), "a e"],
      [only(north, south), "a b e"],
      [only(), ""],
      [{ ...only(north), siteIds: [south] }, ""],
      [{ reader: { tokenId: "x", sites: new Set([south]) } }, "a b c"],
      [{ reader: { tokenId: "x", sites: new Set<string>() } }, "a c"],
      [{ reader: { tokenId: "__proto__", sites: new Set<string>() } }, "e"],
      [{ reader: { tokenId: "x", sites: new Set([south]) }, actions: ["token.create"] }, "c"],
      [{ reader: { tokenId: "x", sites: "all" }, newestFirst: true, siteIds: [north] }, "e a"],
    ];
    for (const [filter, expected] of cases) {
      const { items, total } = await audit.list({ ...EVERYTHING, ...filter }, ALL);
      const found = items.map((entry) => names.get(entry.id)).join(" ");
      expect({ filter, found, total }).toEqual({ filter, found: expected, total: items.length });
    }
  });

  test("pruning deletes what is older, some at a time, and says how many", async () => {
    const { audit } = await open();
    const old = Array.from({ length: 2_500 }, (_, i) => entryAt(i - 2_500));
    const kept = [entryAt(0), entryAt(1)];
    await audit.append([...old, ...kept]);
    const rounds: number[] = [];
    do rounds.push(await audit.prune(OLDER));
    while (rounds.at(-1) !== 0 && rounds.length < 2_500);
    expect(rounds.at(-1)).toBe(0);
    expect(rounds[0]).toBeLessThan(2_500);
    expect(rounds.reduce((sum, count) => sum + count)).toBe(2_500);
    expect((await audit.list(EVERYTHING, ALL)).items).toEqual(kept);
  });

  test("pruning begins with the oldest", async () => {
    const { audit } = await open();
    await audit.append(Array.from({ length: 2_500 }, (_, i) => entryAt(-1 - i)));
    const gone = await audit.prune(OLDER);
    const { items } = await audit.list(EVERYTHING, ALL);
    expect(items[0]?.at).toBe(at(gone - 2_500));
  });

  test("of an entry that is put again the count and the last time change, and nothing else", async () => {
    const { audit } = await open();
    const first = makeEntry({ actor: undefined, outcome: "REFUSED", code: "unauthorized" });
    const other = makeEntry();
    await audit.put([first, other]);
    await audit.put([{ ...first, count: 4, lastAt: at(9), action: "other", requestId: "other" }]);
    expect((await audit.list(EVERYTHING, ALL)).items).toEqual([{ ...first, count: 4, lastAt: at(9) }, other]);
  });

  test("refusals have limits of their own: without a token by age and number, with one by number", async () => {
    const { audit } = await open();
    const refused = (afterNoon: number, isKnown: boolean) =>
      makeEntry({ at: at(afterNoon), outcome: "REFUSED", ...(!isKnown && { actor: undefined }) });
    const changes = [0, 1, 2, 3, 4].map(entryAt);
    const anonymous = [0, 1, 2, 3, 4].map((time) => refused(time, false));
    const known = [0, 1, 2, 3, 4].map((time) => refused(time, true));
    await audit.append([...changes, ...anonymous, ...known]);
    const limits = { before: at(-1), anonymousBefore: at(1), maxAnonymous: 3, maxRefused: 2 };
    while ((await audit.prune(limits)) > 0);
    const kept = new Set((await audit.list(EVERYTHING, ALL)).items.map((entry) => entry.id));
    const left = (entries: readonly AuditEntry[]) =>
      entries.filter((entry) => kept.has(entry.id)).map((entry) => entry.at - NOON);
    expect([left(changes), left(anonymous), left(known)]).toEqual([
      [0, 1, 2, 3, 4],
      [2, 3, 4],
      [3, 4],
    ]);
  });

  test("of several entries all are stored or none is", async () => {
    const { audit } = await open();
    const entry = makeEntry();
    await audit.append([entry]);
    await expect(audit.append([makeEntry(), entry, makeEntry()])).rejects.toThrow();
    expect((await audit.list(EVERYTHING, ALL)).items).toEqual([entry]);
  });
}

function at(afterNoon: number): Instant {
  return instant(NOON + afterNoon);
}

function entryAt(afterNoon: number): AuditEntry {
  return makeEntry({ at: at(afterNoon) });
}

function actor(tokenId: string): AuditEntry["actor"] {
  return { tokenId, name: tokenId };
}
