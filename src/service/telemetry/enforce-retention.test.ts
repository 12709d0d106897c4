import { expect, test } from "vitest";
import { parseRetention, type Retention, type SiteRetention, UNLIMITED } from "#core/telemetry/retention.ts";
import { instant } from "#core/time/instant.ts";
import type { DropChoice } from "#service/ports/telemetry-store.ts";
import { enforceRetention, type RetentionNeeds } from "./enforce-retention.ts";

const DAY = 86_400_000;
const NOW = 1_000 * DAY;

const rules = (fallback: string | undefined, attributes: Readonly<Record<string, string>> = {}): SiteRetention => ({
  fallback: fallback === undefined ? undefined : parseRetention(fallback),
  attributes: new Map(Object.entries(attributes).map(([name, kept]) => [name, parseRetention(kept) ?? UNLIMITED])),
});

/** What is asked of the store, as `device only power before 970d`. `pieces` is how many there are to drop for each. */
async function enforce(
  sites: Readonly<Record<string, SiteRetention>>,
  { fallback = UNLIMITED, pieces = 0 }: { readonly fallback?: Retention; readonly pieces?: number } = {},
): Promise<{ readonly asked: readonly string[]; readonly dropped: number }> {
  const asked: string[] = [];
  const left = new Map<string, number>();
  const page = <Item>(items: readonly Item[], { offset, limit }: { offset: number; limit: number }) =>
    Promise.resolve({ items: items.slice(offset, offset + limit), total: items.length });
  const needs = {
    now: () => instant(NOW),
    sites: {
      list: (_: unknown, at: { offset: number; limit: number }) =>
        page(
          Object.keys(sites).map((id) => ({ id })),
          at,
        ),
    },
    devices: {
      list: ({ siteId }: { siteId: string }, at: { offset: number; limit: number }) =>
        page([{ id: `${siteId}-1` }], at),
    },
    retentions: { get: (id: string) => Promise.resolve(sites[id]) },
    telemetry: {
      drop: (device: string, choice: DropChoice, before: number) => {
        const words = "only" in choice ? `only ${choice.only.join("+")}` : `except ${choice.except.join("+")}`;
        const key = `${device} ${words} before ${before / DAY}d`;
        const dropped = Math.min(500, left.get(key) ?? pieces);
        if (!left.has(key)) asked.push(key);
        left.set(key, (left.get(key) ?? pieces) - dropped);
        return Promise.resolve(dropped);
      },
    },
  } as unknown as RetentionNeeds;
  return { dropped: await enforceRetention(needs, fallback), asked };
}

test("without any rule nothing is even looked for", async () => {
  expect(await enforce({ a: rules(undefined), b: rules("unlimited", { power: "unlimited" }) })).toEqual({
    asked: [],
    dropped: 0,
  });
});

test("a site's default counts for all attributes without a rule of their own, before the installation's", async () => {
  const { asked } = await enforce(
    { a: rules(undefined), b: rules("30d", { power: "1y", energy: "unlimited", note: "1y" }) },
    { fallback: "100d" as Retention },
  );
  expect(asked).toEqual([
    "a-1 except  before 900d",
    "b-1 only power+note before 635d",
    "b-1 except power+energy+note before 970d",
  ]);
});

test("a rule for one attribute does not touch the others", async () => {
  expect((await enforce({ a: rules(undefined, { power: "1d" }) })).asked).toEqual(["a-1 only power before 999d"]);
});

test("steps are repeated until nothing is left, but a round has an end", async () => {
  expect((await enforce({ a: rules("1d") }, { pieces: 1_700 })).dropped).toBe(1_700);
  expect((await enforce({ a: rules("1d"), b: rules("1d") }, { pieces: 1e9 })).dropped).toBe(100_000);
});

test("all rules of a device share the end of a round", async () => {
  const { dropped } = await enforce({ a: rules("1d", { power: "2d" }) }, { pieces: 60_000 });
  expect(dropped).toBe(100_000);
});

test("every page of sites is looked at", async () => {
  const sites = Object.fromEntries(Array.from({ length: 2_001 }, (_, index) => [`s${index}`, rules("1d")]));
  const { asked } = await enforce(sites);
  expect([asked.length, asked.at(-1)]).toEqual([2_001, "s2000-1 except  before 999d"]);
});
