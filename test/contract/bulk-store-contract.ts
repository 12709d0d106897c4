// What is kept of commands for many devices.
import { expect, test } from "vitest";
import { type BulkCommand, type BulkMember, MAX_BULKS_OF_TOKEN } from "#core/bulk/bulk-command.ts";
import { instant } from "#core/time/instant.ts";
import type { BulkStore, NewBulk } from "#service/ports/bulk-store.ts";
import { makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES } from "../support/records.ts";
import { ALL, expectRefusal } from "./stores.ts";

const makeMember = (place: number, fields: Partial<BulkMember> = {}): BulkMember => ({
  place,
  device: `device-${place}`,
  deviceId: `d${place}`,
  siteId: "s",
  state: "WAITING",
  executionId: undefined,
  begunAt: undefined,
  code: undefined,
  message: undefined,
  ...fields,
});

export function makeBulk(devices: number, fields: Partial<BulkCommand> = {}): NewBulk {
  const bulk: BulkCommand = {
    id: newId(),
    name: "start",
    shown: { power: 5, pin: "***" },
    rate: 10,
    parallel: 5,
    stopAfter: undefined,
    state: "RUNNING",
    reason: undefined,
    createdBy: { tokenId: newId(), tokenName: "admin" },
    door: "page",
    createdAt: NOON,
    endedAt: undefined,
    scheduleId: undefined,
    ...fields,
  };
  const members = Array.from({ length: devices }, (_, place) => makeMember(place));
  return { bulk, members, sealed: new Uint8Array([1, 2, 3]), idempotency: undefined };
}

const later = instant(NOON + 1_000);

export function bulkStoreContract(open: () => Promise<{ readonly bulks: BulkStore }>): void {
  const insert = async (bulks: BulkStore, input: NewBulk) => await bulks.insert(input, makeEntry());

  test("a bulk command is found again with its devices, in their order, by state", async () => {
    const { bulks } = await open();
    const input = makeBulk(3, { stopAfter: 2, scheduleId: "schedule" });
    const name = OBJECT_PROPERTY_NAMES[0] ?? "constructor";
    const refused = makeMember(3, {
      device: name,
      deviceId: undefined,
      siteId: undefined,
      state: "REFUSED",
      code: "not_found",
      message: "no",
    });
    const all = { ...input, members: [...input.members, refused] };
    await insert(bulks, all);
    const { id, createdBy } = input.bulk;
    expect(await bulks.find(id)).toEqual(input.bulk);
    expect((await bulks.members(id, {}, ALL)).items).toEqual(all.members);
    expect(await bulks.members(id, { states: ["REFUSED"] }, ALL)).toEqual({ items: [refused], total: 1 });
    expect(await bulks.counts(id)).toMatchObject({ WAITING: 3, REFUSED: 1, RUNNING: 0 });
    expect([...((await bulks.sealed(id)) ?? [])]).toEqual([1, 2, 3]);
    expect((await bulks.list(createdBy.tokenId, ALL)).items).toEqual([input.bulk]);
    expect((await bulks.list(newId(), ALL)).total).toBe(0);
    expect((await bulks.open()).map((one) => one.id)).toContain(id);
    expect([await bulks.find(newId()), await bulks.lastBegunAt(id)]).toEqual([undefined, undefined]);
  });

  test("a device begins once, and only while the bulk command runs", async () => {
    const { bulks } = await open();
    const input = makeBulk(3);
    const { id } = await insert(bulks, input);
    const begun = (place: number, executionId: string) =>
      makeMember(place, { state: "RUNNING", executionId, begunAt: later });
    const put = (to: BulkMember, from: BulkMember["state"] = "WAITING") => bulks.putMembers(id, [{ from, to }], []);
    const [one, other] = await Promise.all([put(begun(0, "a")), put(begun(0, "b"))]);
    expect([...one, ...other]).toHaveLength(1);
    expect(await bulks.lastBegunAt(id)).toBe(later);
    expect(await put({ ...begun(0, "a"), state: "SUCCESS" }, "RUNNING")).toHaveLength(1);
    expect(await put({ ...begun(0, "a"), state: "FAILED" }, "RUNNING")).toEqual([]);
    await put(begun(1, "c"));
    expect(await bulks.turn(id, { to: "STOPPED", reason: "why" }, undefined)).toMatchObject({ state: "STOPPED" });
    expect(await bulks.turn(id, { to: "CANCELLED", reason: undefined }, makeEntry())).toBeUndefined();
    expect(await put(begun(2, "d"))).toEqual([]);
    expect(await bulks.counts(id)).toMatchObject({ SUCCESS: 1, RUNNING: 1, SKIPPED: 1, WAITING: 0 });
    await put({ ...begun(1, "c"), state: "FAILED", code: "ERROR", message: "no" }, "RUNNING");
    expect((await bulks.members(id, { states: ["FAILED"] }, ALL)).items).toMatchObject([
      { code: "ERROR", message: "no" },
    ]);
    await bulks.end(id, later, undefined);
    expect(await bulks.find(id)).toMatchObject({ state: "STOPPED", reason: "why", endedAt: later });
    expect([await bulks.sealed(id), (await bulks.open()).some((one) => one.id === id)]).toEqual([undefined, false]);
  });

  test("one that runs is not ended, and those that ended long ago are deleted", async () => {
    const { bulks } = await open();
    const running = await insert(bulks, makeBulk(1));
    await bulks.end(running.id, NOON, undefined);
    expect((await bulks.find(running.id))?.endedAt).toBeUndefined();
    const ended = await insert(bulks, makeBulk(2));
    await bulks.turn(ended.id, { to: "DONE", reason: undefined }, undefined);
    await bulks.end(ended.id, NOON, undefined);
    expect(await bulks.prune(NOON)).toBe(0);
    expect(await bulks.prune(later)).toBe(1);
    expect([await bulks.find(ended.id), (await bulks.members(ended.id, {}, ALL)).total]).toEqual([undefined, 0]);
    expect(await bulks.find(running.id)).toBeDefined();
  });

  test("a key makes one bulk command, and with another request it is a conflict", async () => {
    const { bulks } = await open();
    const key = { key: "k", digest: new Uint8Array([7]) };
    const first = makeBulk(1);
    const [made, again] = await Promise.all([
      insert(bulks, { ...first, idempotency: key }),
      insert(bulks, { ...makeBulk(1, { createdBy: first.bulk.createdBy }), idempotency: key }),
    ]);
    expect(again.id).toBe(made.id);
    const other = {
      ...makeBulk(1, { createdBy: first.bulk.createdBy }),
      idempotency: { ...key, digest: new Uint8Array([8]) },
    };
    await expectRefusal(insert(bulks, other), "idempotency_conflict");
    const ofOther = await insert(bulks, { ...makeBulk(1), idempotency: key });
    expect(ofOther.id).not.toBe(made.id);
  });

  test("a token runs so many at once, and more when one has ended", async () => {
    const { bulks } = await open();
    const { createdBy } = makeBulk(0).bulk;
    const made = [];
    for (let n = 0; n < MAX_BULKS_OF_TOKEN; n++) made.push(await insert(bulks, makeBulk(1, { createdBy })));
    await expectRefusal(insert(bulks, makeBulk(1, { createdBy })), "queue_full");
    await insert(bulks, makeBulk(1));
    await bulks.turn(made[0]?.id ?? "", { to: "DONE", reason: undefined }, undefined);
    await bulks.end(made[0]?.id ?? "", later, undefined);
    await insert(bulks, makeBulk(1, { createdBy }));
  });
}
