import { expect, test } from "vitest";
import { makeEntry } from "../support/records.ts";
import { auditIds, type OpenStores } from "./stores.ts";

export function settingStoreContract(open: OpenStores): void {
  test("a setting is kept with its audit entry, replaced and deleted", async () => {
    const stores = await open();
    const { settings } = stores;
    const entries = [makeEntry(), makeEntry(), makeEntry(), makeEntry()] as const;
    await settings.put("lua.allow", "public", entries[0]);
    await settings.put("audit.retention", "1d", entries[1]);
    await settings.put("lua.allow", "private", entries[2]);
    expect([...(await settings.all())]).toEqual([
      ["audit.retention", "1d"],
      ["lua.allow", "private"],
    ]);
    expect(await settings.delete("lua.allow", entries[3])).toBe(true);
    expect(await settings.delete("lua.allow", makeEntry())).toBe(false);
    expect([...(await settings.all())]).toEqual([["audit.retention", "1d"]]);
    // Of a deletion that changed nothing there is no entry.
    expect((await auditIds(stores)).toSorted()).toEqual(entries.map(({ id }) => id).toSorted());
  });
}
