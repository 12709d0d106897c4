// What the contract suites share. A suite is given `open`, which opens empty stores, and knows nothing else about them.
import { expect, test } from "vitest";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { ErrorCode } from "#core/app-error.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";

/** Opens empty stores. Whoever gives it to a suite closes them. */
export type OpenStores = () => Promise<SubjectStores>;

export const ALL: PageRequest = { limit: 10_000, offset: 0 };

/** Ids of all audit entries, oldest first. */
export async function auditIds(stores: SubjectStores): Promise<readonly string[]> {
  const reader = { tokenId: "nobody", sites: "all" } as const;
  const { items } = await stores.audit.list({ reader, newestFirst: false }, ALL);
  return items.map((entry) => entry.id);
}

export async function expectRefusal(write: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(write).rejects.toMatchObject({ name: "AppError", code });
}

/** The codes of those writes that were refused; anything else that fails a write fails the test. */
export function refusalsOf(results: readonly PromiseSettledResult<unknown>[]): readonly string[] {
  return results.flatMap((result) => {
    if (result.status === "fulfilled") return [];
    expect(result.reason).toMatchObject({ name: "AppError" });
    return [result.reason.code];
  });
}

/** A write whose audit entry cannot be stored must leave nothing behind: `entry` has an id that is taken. */
export async function expectNothingWithoutItsTrail(
  stores: SubjectStores,
  write: (entry: AuditEntry) => Promise<unknown>,
): Promise<void> {
  const taken = (await stores.audit.list({ reader: { tokenId: "", sites: "all" }, newestFirst: true }, ALL)).items[0];
  if (taken === undefined) throw new Error("the test needs an audit entry to collide with");
  const before = await contentsOf(stores);
  await expect(write(taken)).rejects.toThrow();
  expect(await contentsOf(stores)).toEqual(before);
}

async function contentsOf(stores: SubjectStores): Promise<unknown> {
  const devices = await stores.devices.list({ scope: "all" }, ALL);
  const ids = devices.items.map((device) => device.id);
  return {
    sites: await stores.sites.list("all", ALL),
    devices,
    properties: await stores.devices.properties(ids),
    credentials: await Promise.all(ids.map((id) => stores.devices.findCredential(id))),
    blueprints: await stores.blueprints.list(ALL),
    tokens: await stores.tokens.all(),
    accounts: await stores.accounts.all(),
    sessions: await stores.sessions.all(),
    audit: await auditIds(stores),
  };
}

/** Five items in a list, asked for page by page: limit, offset -> places. */
const PAGES: readonly (readonly [limit: number, offset: number, places: readonly number[]])[] = [
  [10, 0, [0, 1, 2, 3, 4]],
  [5, 0, [0, 1, 2, 3, 4]],
  [2, 0, [0, 1]],
  [2, 2, [2, 3]],
  [2, 4, [4]],
  [1, 4, [4]],
  [2, 5, []],
  [2, 1_000_000, []],
  [0, 0, []],
  [0, 3, []],
];

/** `fill` stores five things and gives their ids in the order in which `list` must give them. */
export function pagingContract(
  open: OpenStores,
  fill: (stores: SubjectStores) => Promise<readonly string[]>,
  list: (stores: SubjectStores, page: PageRequest) => Promise<Page<{ readonly id: string }>>,
): void {
  test("a page holds what its limit and offset say and counts them all", async () => {
    const stores = await open();
    expect(await list(stores, ALL)).toEqual({ items: [], total: 0 });
    const ids = await fill(stores);
    for (const [limit, offset, places] of PAGES) {
      const page = await list(stores, { limit, offset });
      expect({ limit, offset, total: page.total, ids: page.items.map((item) => item.id) }).toEqual({
        limit,
        offset,
        total: 5,
        ids: places.map((place) => ids[place]),
      });
    }
  });
}
