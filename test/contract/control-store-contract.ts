import { expect, test } from "vitest";
import type { Claim } from "#core/control/claim.ts";
import { type ControlRecord, MOST_CLAIMS } from "#core/control/control-record.ts";
import { NEVER_WRITTEN } from "#core/control/control-writer.ts";
import { makeDevice, makeEntry, makeSite, NOON, newId, UNUSUAL } from "../support/records.ts";
import { ALL, auditIds, expectRefusal, type OpenStores } from "./stores.ts";
import { withSite } from "./with-site.ts";

function makeClaim(deviceId: string, fields: Partial<Claim> = {}): Claim {
  return {
    id: newId(),
    deviceId,
    control: "power",
    kind: "target",
    value: 5,
    class: "person",
    source: "token:a",
    reason: "because",
    leaseUntil: NOON + 60_000,
    createdAt: NOON,
    cause: undefined,
    door: undefined,
    ...fields,
  };
}

async function withDevice(open: OpenStores) {
  const { stores, siteId } = await withSite(open);
  const device = await stores.devices.insert(makeDevice(siteId), makeEntry());
  return { stores, deviceId: device.id };
}

const RECORD: ControlRecord = {
  at: NOON * 1000,
  control: "power",
  value: 5.5,
  follow: "settling",
  measured: undefined,
  class: "person",
  source: "token:a",
  reason: "because",
  cause: undefined,
};

const HELD = { ...NEVER_WRITTEN, isHeld: true, sent: 5, sentAt: NOON, changedAt: NOON, follow: "settling" } as const;

export function controlStoreContract(open: OpenStores): void {
  test("claims are loaded as they were stored: nothing, zero and unlimited are different", async () => {
    const { stores, deviceId } = await withDevice(open);
    const claims = [
      makeClaim(deviceId, { value: null }),
      makeClaim(deviceId, { value: 0, source: "token:b", cause: newId() }),
      makeClaim(deviceId, { value: "unlimited", kind: "max", class: "grid" }),
      makeClaim(deviceId, { value: -2.25, kind: "min", class: "interlock", door: "page" }),
      ...UNUSUAL.map((text, index) => makeClaim(deviceId, { reason: text, source: `token:${index}` })),
    ];
    for (const claim of claims) await stores.controls.claim({ claim, takesOver: false, trail: undefined });
    const { claims: loaded } = await stores.controls.load();
    const byId = (one: Claim, other: Claim) => (one.id < other.id ? -1 : 1);
    expect([...loaded].sort(byId)).toStrictEqual([...claims].sort(byId));
  });

  test("a claim takes the place of that of its source; who takes over ends the targets of its class", async () => {
    const { stores, deviceId } = await withDevice(open);
    const put = async (fields: Partial<Claim>, takesOver = false) => {
      const claim = makeClaim(deviceId, fields);
      const ended = await stores.controls.claim({ claim, takesOver, trail: makeEntry() });
      return { id: claim.id, ended };
    };
    const first = await put({});
    expect((await put({ value: 6 })).ended).toEqual([first.id]);
    const rule = await put({ class: "rule", source: "rule:1" });
    const limit = await put({ kind: "max", source: "token:c" });
    const other = await put({ source: "token:b" });
    expect(other.ended).toEqual([]);
    expect((await put({ source: "token:c" }, true)).ended).toHaveLength(2);
    const left = (await stores.controls.load()).claims.map(({ id }) => id);
    expect(left).toHaveLength(3);
    expect(left).toEqual(expect.arrayContaining([rule.id, limit.id]));
  });

  test("a claim is released once, and both leave a trail", async () => {
    const { stores, deviceId } = await withDevice(open);
    const claim = makeClaim(deviceId);
    const [made, released, again] = [makeEntry(), makeEntry(), makeEntry()];
    await stores.controls.claim({ claim, takesOver: false, trail: made });
    expect(await stores.controls.release(newId(), claim.id, again)).toBe(false);
    expect(await stores.controls.release(deviceId, claim.id, released)).toBe(true);
    expect(await stores.controls.release(deviceId, claim.id, again)).toBe(false);
    const ids = await auditIds(stores);
    expect(ids).toEqual(expect.arrayContaining([made.id, released.id]));
    expect(ids).not.toContain(again.id);
  });

  test("a device has so many claims; those that have ended do not count", async () => {
    const { stores, deviceId } = await withDevice(open);
    const put = (source: number, fields: Partial<Claim> = {}) =>
      stores.controls.claim({
        claim: makeClaim(deviceId, { source: `token:${source}`, ...fields }),
        takesOver: false,
        trail: undefined,
      });
    for (let source = 0; source < MOST_CLAIMS; source += 1) await put(source);
    await expectRefusal(put(MOST_CLAIMS), "conflict");
    await put(0);
    await put(MOST_CLAIMS, { createdAt: NOON + 60_000, leaseUntil: NOON + 90_000 });
    await expectRefusal(
      stores.controls.claim({ claim: makeClaim(newId()), takesOver: false, trail: undefined }),
      "not_found",
    );
  });

  test("a state is loaded as it was saved; saving deletes claims that have ended", async () => {
    const { stores, deviceId } = await withDevice(open);
    const claim = makeClaim(deviceId);
    await stores.controls.claim({ claim, takesOver: false, trail: undefined });
    const writing = { kind: "value", value: 5, withPrepare: true } as const;
    await stores.controls.save({ deviceId, control: "power", state: { ...HELD, writing } }, undefined, NOON);
    expect((await stores.controls.load()).claims).toHaveLength(1);
    await stores.controls.save({ deviceId, control: "power", state: HELD }, RECORD, NOON + 60_000);
    expect(await stores.controls.load()).toEqual({ claims: [], states: [{ deviceId, control: "power", state: HELD }] });
    await stores.controls.save({ deviceId: newId(), control: "power", state: HELD }, RECORD, NOON);
    expect((await stores.controls.load()).states).toHaveLength(1);
  });

  test("history is newest first, within its times; two entries of one moment keep their order", async () => {
    const { stores, deviceId } = await withDevice(open);
    const stored = { deviceId, control: "power", state: NEVER_WRITTEN };
    const fallback = { ...RECORD, value: undefined, class: undefined, source: undefined, reason: undefined };
    await stores.controls.save(stored, RECORD, NOON);
    await stores.controls.save(stored, { ...fallback, follow: "idle" }, NOON);
    await stores.controls.save(
      stored,
      { ...RECORD, control: "other", at: (NOON + 1000) * 1000, measured: 1, door: "cli" },
      NOON,
    );
    const list = async (fields: { control?: string; from?: number; to?: number }) => {
      const filter = { deviceId, control: fields.control, from: fields.from, to: fields.to };
      return (await stores.controls.history(filter, ALL)).items;
    };
    expect((await list({})).map(({ at, value }) => [at - NOON * 1000, value])).toEqual([
      [1e6, 5.5],
      [1, undefined],
      [0, 5.5],
    ]);
    const [other] = await list({ control: "other" });
    expect(other).toMatchObject({ measured: 1, source: "token:a", class: "person", door: "cli" });
    expect((await list({ control: "power" })).map(({ door }) => door)).toEqual([undefined, undefined]);
    expect(await list({ from: NOON, to: NOON + 1000 })).toHaveLength(2);
    expect(await stores.controls.prune(NOON + 1000)).toBe(2);
    expect(await list({})).toHaveLength(1);
  });

  test("what a device has is found by its id and its site, and an entry of its history by its time", async () => {
    const { stores, deviceId } = await withDevice(open);
    const { stores: _, deviceId: other } = await withDevice(async () => stores);
    const claim = makeClaim(deviceId);
    await stores.controls.claim({ claim, takesOver: false, trail: undefined });
    await stores.controls.save({ deviceId, control: "power", state: HELD }, RECORD, NOON);
    expect(await stores.controls.load(deviceId)).toEqual({
      claims: [claim],
      states: [{ deviceId, control: "power", state: HELD }],
    });
    expect(await stores.controls.load(other)).toEqual({ claims: [], states: [] });
    const siteId = (await stores.devices.find(deviceId))?.siteId ?? "";
    expect(await stores.controls.devicesOfSite(siteId)).toEqual([deviceId]);
    expect(await stores.controls.record({ deviceId, at: RECORD.at })).toEqual(RECORD);
    expect(await stores.controls.record({ deviceId, at: RECORD.at + 1 })).toBeUndefined();
  });

  test("claims, news and entries are noted for a cloud, and all of them once for each; repetitions are not", async () => {
    const { stores, deviceId } = await withDevice(open);
    const { uplinks, controls } = stores;
    const claim = makeClaim(deviceId);
    await controls.claim({ claim, takesOver: false, trail: undefined });
    const stored = { deviceId, control: "power", state: HELD };
    await controls.save(stored, RECORD, NOON);
    const credential = new TextEncoder().encode("x");
    const joined = { url: "https://cloud.example", gatewayId: newId(), credential, joinedAt: NOON };
    await uplinks.put({ ...joined, historyBefore: undefined, confirmed: 0, cloudEpoch: undefined }, makeEntry());
    let at = await uplinks.latest();
    const noted = async () => {
      const { keys, upTo } = await uplinks.changesAfter(at, 100);
      at = upTo;
      return keys.filter(({ kind }) => kind !== "audit").map(({ kind, key }) => `${kind} ${key}`);
    };
    const all = [`controls ${deviceId}`, `control_record ${deviceId} ${RECORD.at}`];
    await uplinks.noteControls("c");
    expect(await noted()).toEqual(all);
    await uplinks.noteControls("c");
    expect(await noted()).toEqual([]);
    await controls.save(stored, undefined, NOON);
    expect(await noted()).toEqual([]);
    await controls.save(stored, undefined, NOON, true);
    expect(await noted()).toEqual([`controls ${deviceId}`]);
    // Two entries of one moment get different times.
    await controls.save(stored, RECORD, NOON);
    expect(await noted()).toEqual([`controls ${deviceId}`, `control_record ${deviceId} ${RECORD.at + 1}`]);
    await controls.release(deviceId, claim.id, makeEntry());
    expect(await noted()).toEqual([`controls ${deviceId}`]);
    await uplinks.noteControls("another");
    expect(await noted()).toEqual([...all, `control_record ${deviceId} ${RECORD.at + 1}`]);
  });

  test("controls of a gateway's device are copied by its gateway alone, and replaced as a whole", async () => {
    const stores = await open();
    const { copies, controls } = stores;
    const site = makeSite();
    await copies.site("g1", site, NOON);
    const device = { ...makeDevice(site.id), slug: "a" };
    await copies.device("g1", device);
    const { deviceId: _, control, ...claim } = makeClaim(device.id);
    const told = { isHeld: true, sent: 5, follow: "followed" } as const;
    await copies.controls("g1", device.id, [{ control, claims: [claim], ...told }]);
    expect(await controls.load(device.id)).toEqual({
      claims: [{ ...claim, deviceId: device.id, control }],
      states: [{ deviceId: device.id, control, state: { ...NEVER_WRITTEN, ...told } }],
    });
    await expectRefusal(copies.controls("g2", device.id, []), "conflict");
    await expectRefusal(copies.controlRecord("g2", device.id, RECORD), "conflict");
    await expectRefusal(
      controls.claim({ claim: makeClaim(device.id), takesOver: false, trail: undefined }),
      "owned_by_gateway",
    );
    for (let times = 0; times < 2; times++) await copies.controlRecord("g1", device.id, RECORD);
    const filter = { deviceId: device.id, control: undefined, from: undefined, to: undefined };
    expect((await controls.history(filter, ALL)).items).toEqual([RECORD]);
    await copies.controls("g1", device.id, []);
    expect(await controls.load(device.id)).toEqual({ claims: [], states: [] });
  });

  test("everything goes with the device", async () => {
    const { stores, deviceId } = await withDevice(open);
    await stores.controls.claim({ claim: makeClaim(deviceId), takesOver: false, trail: undefined });
    await stores.controls.save({ deviceId, control: "power", state: HELD }, RECORD, NOON);
    await stores.devices.delete(deviceId, makeEntry());
    expect(await stores.controls.load()).toEqual({ claims: [], states: [] });
  });
}
