import { expect, test } from "vitest";
import { MOST_TRACES } from "#core/rule/rule.ts";
import { MOST_LOG_LINES, MOST_RULES, MOST_VARIABLES, type SiteRule } from "#core/rule/site-rule.ts";
import { instant } from "#core/time/instant.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const PAGE = { limit: 10, offset: 0 };
const LATER = instant(NOON + 1000);

const makeRule = (siteId: string, fields: Partial<SiteRule> = {}): SiteRule => ({
  id: newId(),
  siteId,
  slug: "surplus",
  disabled: false,
  script: { code: "cmV0dXJu", runtimeVersion: "V3", execInterval: "5m" },
  revision: 1,
  createdAt: NOON,
  updatedAt: NOON,
  ...fields,
});

async function withRule(open: OpenStores) {
  const { stores, siteId } = await withSite(open);
  const rule = makeRule(siteId);
  await stores.rules.insert(rule, makeEntry());
  return { stores, rules: stores.rules, siteId, rule };
}

export function ruleStoreContract(open: OpenStores): void {
  test("a rule is found by id and slug on its own site, and listed by slug", async () => {
    const { rules, siteId, rule } = await withRule(open);
    const other = makeRule(siteId, { slug: "a", script: { ...rule.script, execInterval: undefined } });
    await rules.insert(other, makeEntry());
    expect(await rules.find(siteId, rule.id)).toEqual(rule);
    expect(await rules.find(siteId, "a")).toEqual(other);
    expect(await rules.find(newId(), rule.id)).toBeUndefined();
    expect(await rules.slugOf(rule.id)).toBe("surplus");
    expect(await rules.list(siteId, PAGE)).toMatchObject({ items: [other, rule], total: 2 });
    expect(await rules.list(siteId, { limit: 10, offset: 7 })).toMatchObject({ items: [], total: 2 });
    expect(await rules.ids(siteId)).toEqual([rule.id, other.id].sort());
  });

  test("rules of many sites are named at once, which gateways do that come at the same moment", async () => {
    const { rules, siteId, rule } = await withRule(open);
    const asked = Array.from({ length: 1_000 }, (_, n) => rules.ids(n % 2 === 0 ? siteId : newId()));
    expect(new Set((await Promise.all(asked)).flat())).toEqual(new Set([rule.id]));
  });

  test("a slug is used once on a site, and a refused change changes nothing", async () => {
    const { stores, rules, siteId, rule } = await withRule(open);
    await expectRefusal(rules.insert(makeRule(siteId), makeEntry()), "slug_taken");
    const other = makeRule(siteId, { slug: "other" });
    await rules.insert(other, makeEntry());
    const refused = makeEntry();
    const change = { siteId, ids: [other.id], expected: undefined, at: LATER };
    await expectRefusal(rules.change({ ...change, slug: "surplus" }, refused), "slug_taken");
    await expectRefusal(rules.change({ ...change, expected: 2, disabled: true }, refused), "conflict");
    expect(await rules.change({ ...change, ids: [other.id, newId()], disabled: true }, refused)).toBeUndefined();
    expect(await rules.find(siteId, other.id)).toEqual(other);
    expect(await auditIds(stores)).not.toContain(refused.id);
    expect(await rules.change({ ...change, slug: "other" }, makeEntry())).toMatchObject([{ revision: 2 }]);
    expect(rule.slug).toBe("surplus");
  });

  test("several rules are changed together, by id or slug, and each change counts", async () => {
    const { rules, siteId, rule } = await withRule(open);
    const other = makeRule(siteId, { slug: "other" });
    await rules.insert(other, makeEntry());
    const ids = [rule.id, "other"];
    const changed = await rules.change({ siteId, ids, expected: undefined, disabled: true, at: LATER }, makeEntry());
    expect(changed).toEqual([rule, other].map((one) => ({ ...one, disabled: true, revision: 2, updatedAt: LATER })));
    expect(await rules.find(siteId, rule.id)).toEqual(changed?.[0]);
    expect(await rules.delete({ siteId, id: "other", expected: 2 }, makeEntry())).toBe(true);
    expect(await rules.delete({ siteId, id: "other", expected: undefined }, makeEntry())).toBe(false);
  });

  test("what should run is what is enabled on sites with an active engine", async () => {
    const { rules, siteId, rule } = await withRule(open);
    await rules.insert(makeRule(siteId, { slug: "off", disabled: true }), makeEntry());
    expect(await rules.engineState(siteId)).toBe("ACTIVE");
    expect((await rules.runnable()).filter((one) => one.rule.siteId === siteId)).toMatchObject([{ rule }]);
    await rules.setEngineState(siteId, "SUSPENDED", makeEntry());
    expect(await rules.engineState(siteId)).toBe("SUSPENDED");
    expect((await rules.runnable()).filter((one) => one.rule.siteId === siteId)).toEqual([]);
    await rules.setEngineState(siteId, "ACTIVE", makeEntry());
    expect((await rules.runnable()).filter((one) => one.rule.siteId === siteId)).toHaveLength(1);
  });

  test("a rule keeps texts of its own, within limits", async () => {
    const { rules, siteId, rule } = await withRule(open);
    const limits = { entries: 2, bytes: 20 };
    expect(await rules.putStored(rule.id, { key: "a\xff", value: "1" }, limits)).toBe("stored");
    expect(await rules.putStored(rule.id, { key: "a\xff", value: "22" }, limits)).toBe("stored");
    expect(await rules.putStored(rule.id, { key: "b", value: "x".repeat(20) }, limits)).toBe("full");
    expect(await rules.putStored(newId(), { key: "b", value: "x" }, limits)).toBe("gone");
    expect(await rules.storage(rule.id)).toEqual(new Map([["a\xff", "22"]]));
    await rules.removeStored(rule.id, "a\xff");
    expect(await rules.storage(rule.id)).toEqual(new Map());
    await rules.putStored(rule.id, { key: "b", value: "x" }, limits);
    await rules.delete({ siteId, id: rule.id, expected: undefined }, makeEntry());
    expect(await rules.storage(rule.id)).toEqual(new Map());
  });

  test("what rules remember is stored together, and goes with them", async () => {
    const { rules, siteId, rule } = await withRule(open);
    const other = makeRule(siteId, { slug: "other" });
    await rules.insert(other, makeEntry());
    const trace = (id: string, at: number, text = `"${id}"`) => ({ id, at: instant(at), trace: text });
    const both = [rule.id, other.id, newId()].map((ruleId, n) => ({
      ruleId,
      ...{ memory: `{"n":${n}}`, traces: [trace("a/1", 5), trace("b", 4)], prunes: false },
    }));
    expect(await rules.memory(rule.id)).toBeUndefined();
    await rules.remember(both);
    await rules.remember([
      { ruleId: rule.id, memory: undefined, traces: [trace("b", 4, '"\\u0000é"')], prunes: false },
    ]);
    expect([await rules.memory(rule.id), await rules.memory(other.id)]).toEqual(['{"n":0}', '{"n":1}']);
    expect(await rules.traces(rule.id)).toEqual([trace("a/1", 5), trace("b", 4, '"\\u0000é"')]);
    expect(await rules.traces(other.id)).toEqual([trace("a/1", 5), trace("b", 4)]);
    await rules.delete({ siteId, id: rule.id, expected: undefined }, makeEntry());
    expect([await rules.memory(rule.id), await rules.traces(rule.id)]).toEqual([undefined, []]);
  });

  test("the newest traces of a rule are kept", async () => {
    const { rules, rule } = await withRule(open);
    const traces = Array.from({ length: MOST_TRACES + 5 }, (_, n) => ({ id: `${n % 7}`, at: instant(n), trace: "1" }));
    const one = { ruleId: rule.id, memory: undefined };
    await rules.remember([{ ...one, traces, prunes: false }]);
    expect((await rules.traces(rule.id)).map(({ at }) => Number(at)).slice(0, 2)).toEqual([
      MOST_TRACES + 4,
      MOST_TRACES + 3,
    ]);
    await rules.remember([{ ...one, traces: [], prunes: true }]);
    const kept = await rules.traces(rule.id);
    expect([kept.length, Number(kept.at(-1)?.at)]).toEqual([MOST_TRACES, 5]);
    // Had the older ones only been left out of the list, they would come back here.
    const moved = traces.slice(-1).map((trace) => ({ ...trace, at: instant(0) }));
    await rules.remember([{ ...one, traces: moved, prunes: true }]);
    expect((await rules.traces(rule.id)).map(({ at }) => Number(at)).at(-1)).toBe(5);
  });

  test("the newest lines of a log are kept, and read from a number on", async () => {
    const { rules, rule } = await withRule(open);
    const line = (message: string) => ({ at: NOON, severity: "info", message }) as const;
    const many = Array.from({ length: MOST_LOG_LINES }, (_, n) => line(`old ${n}`));
    expect(await rules.lastSequence(rule.id)).toBe(0);
    await rules.appendLog(new Map([[rule.id, many]]));
    await rules.appendLog(
      new Map([
        [newId(), [line("gone")]],
        [rule.id, [line("one"), line("two")]],
      ]),
    );
    const last = await rules.lastSequence(rule.id);
    expect(last).toBe(MOST_LOG_LINES + 2);
    const page = await rules.log(rule.id, { limit: 2, offset: 0 });
    expect([page.total, page.items.map(({ message }) => message)]).toEqual([MOST_LOG_LINES, ["two", "one"]]);
    expect(await rules.logAfter(rule.id, last - 2, 1)).toEqual([{ ...line("one"), sequence: last - 1 }]);
    expect(await rules.logAfter(rule.id, last, 10)).toEqual([]);
  });

  test("variables of a site have a value each", async () => {
    const { stores, rules, siteId } = await withRule(open);
    const audited = makeEntry();
    await rules.putVariable(siteId, { name: "price", value: 0.3, updatedAt: NOON }, audited);
    await rules.putVariable(siteId, { name: "away", value: false, updatedAt: NOON }, undefined);
    await rules.putVariable(siteId, { name: "price", value: "high", updatedAt: LATER }, undefined);
    expect(await rules.variables(siteId)).toEqual([
      { name: "away", value: false, updatedAt: NOON },
      { name: "price", value: "high", updatedAt: LATER },
    ]);
    expect(await auditIds(stores)).toContain(audited.id);
    expect(await rules.deleteVariable(siteId, "price", makeEntry())).toBe(true);
    expect(await rules.deleteVariable(siteId, "price", makeEntry())).toBe(false);
    const more = Array.from({ length: MOST_VARIABLES - 1 }, (_, n) => ({ name: `n${n}`, value: n, updatedAt: NOON }));
    await Promise.all(more.map((one) => rules.putVariable(siteId, one, undefined)));
    const over = { name: "over", value: 1, updatedAt: NOON };
    await expectRefusal(rules.putVariable(siteId, over, undefined), "conflict");
  });

  test("a site has a limited number of rules, and they go with it", async () => {
    const { stores, rules, siteId, rule } = await withRule(open);
    const more = Array.from({ length: MOST_RULES - 1 }, (_, n) => makeRule(siteId, { slug: `n${n}` }));
    await Promise.all(more.map((one) => rules.insert(one, makeEntry())));
    await expectRefusal(rules.insert(makeRule(siteId, { slug: "over" }), makeEntry()), "conflict");
    await stores.sites.delete(siteId, makeEntry());
    expect(await rules.find(siteId, rule.id)).toBeUndefined();
    await expectRefusal(rules.insert(makeRule(siteId), makeEntry()), "not_found");
  });
}
