import { expect, test } from "vitest";
import { type Channel, type ChannelTarget, MOST_CHANNELS } from "#core/notification/channel.ts";
import { instant } from "#core/time/instant.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

const makeChannel = (siteId: string, fields: Partial<Channel> = {}): Channel => ({
  ...{ id: newId(), siteId, name: "Anna 汉", language: "de", allowPrivate: true, level: "owner" },
  target: { kind: "ntfy", server: "https://ntfy.sh", topic: "a-topic" },
  sealedSecret: Uint8Array.of(1, 2, 255),
  quiet: { calendar: "night", except: "error" },
  ...{ createdAt: NOON, updatedAt: instant(NOON + 1) },
  ...fields,
});

const MAIL: ChannelTarget = {
  ...{ kind: "mail", host: "smtp.example.com", port: 587, security: "starttls" },
  ...{ username: undefined, from: "a@example.com", to: "b@example.com" },
};

export function channelStoreContract(open: OpenStores): void {
  test("channels come back as they were stored, by name, each of its own site", async () => {
    const { stores, siteId } = await withSite(open);
    const anna = makeChannel(siteId);
    const plain = { name: "A", target: MAIL, sealedSecret: undefined, quiet: undefined, allowPrivate: false } as const;
    const first = makeChannel(siteId, plain);
    const entry = makeEntry();
    await stores.channels.insert(anna, entry);
    await stores.channels.insert(first, makeEntry());
    expect(await auditIds(stores)).toContain(entry.id);
    expect(await stores.channels.ofSite(siteId)).toEqual([first, anna]);
    expect(await stores.channels.find(siteId, anna.id)).toEqual(anna);
    expect([await stores.channels.find(newId(), anna.id), await stores.channels.ofSite(newId())]).toEqual([
      undefined,
      [],
    ]);
  });

  test("devices that take push come back, and a change counts only on what it was made of", async () => {
    const { stores, siteId } = await withSite(open);
    const device = { id: "p1", name: "Phone 汉", service: "push.example", createdAt: NOON };
    const target = { kind: "push", person: "anna", devices: [device] } as const;
    const anna = makeChannel(siteId, { target });
    await stores.channels.insert(anna, makeEntry());
    expect(await stores.channels.find(siteId, anna.id)).toEqual(anna);
    const changed = { ...anna, target: { ...target, devices: [] }, updatedAt: instant(NOON + 2) };
    expect(await stores.channels.update(changed, makeEntry(), NOON)).toBe(false);
    expect(await stores.channels.update(changed, undefined, anna.updatedAt)).toBe(true);
    expect(await stores.channels.update(anna, undefined, anna.updatedAt)).toBe(false);
    expect(await stores.channels.find(siteId, anna.id)).toEqual(changed);
  });

  test("a change replaces what it may, and nothing of a channel that is not there", async () => {
    const { stores, siteId } = await withSite(open);
    const before = makeChannel(siteId);
    await stores.channels.insert(before, makeEntry());
    const after = {
      ...before,
      name: "B",
      target: MAIL,
      sealedSecret: undefined,
      quiet: undefined,
      allowPrivate: false,
    };
    expect(await stores.channels.update(after, makeEntry())).toBe(true);
    expect(await stores.channels.find(siteId, before.id)).toEqual(after);
    const entry = makeEntry();
    expect(await stores.channels.update({ ...after, id: newId(), name: "C" }, entry)).toBe(false);
    expect(await stores.channels.delete({ siteId: newId(), id: before.id }, entry)).toBe(false);
    expect(await auditIds(stores)).not.toContain(entry.id);
    expect(await stores.channels.delete({ siteId, id: before.id }, makeEntry())).toBe(true);
    expect(await stores.channels.ofSite(siteId)).toEqual([]);
  });

  test("a name is there once, a site has a limited number, and all go with their site", async () => {
    const { stores, siteId } = await withSite(open);
    const first = makeChannel(siteId, { name: "0" });
    await stores.channels.insert(first, makeEntry());
    await expectRefusal(stores.channels.insert(makeChannel(siteId, { name: "0" }), makeEntry()), "conflict");
    for (let count = 1; count < MOST_CHANNELS; count++)
      await stores.channels.insert(makeChannel(siteId, { name: `${count}` }), makeEntry());
    await expectRefusal(stores.channels.insert(makeChannel(siteId), makeEntry()), "conflict");
    await expectRefusal(stores.channels.update({ ...first, name: "1" }, makeEntry()), "conflict");
    await expectRefusal(stores.channels.insert(makeChannel(newId()), makeEntry()), "not_found");
    await stores.sites.delete(siteId, makeEntry());
    expect(await stores.channels.ofSite(siteId)).toEqual([]);
  });
}
