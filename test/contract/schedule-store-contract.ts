// What is kept of commands that run by a schedule.
import { expect, test } from "vitest";
import { type CommandSchedule, MAX_RUNS, type ScheduleRun } from "#core/schedule/schedule.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { makeBulk } from "./bulk-store-contract.ts";
import { ALL, expectRefusal, type OpenStores } from "./stores.ts";

const makeSchedule = (fields: Partial<CommandSchedule> = {}): CommandSchedule => ({
  id: newId(),
  name: "Nightly",
  owner: { tokenId: newId(), tokenName: "admin" },
  isEnabled: true,
  at: undefined,
  cron: "0 2 * * *",
  timezone: "Europe/Berlin",
  missed: "run_late",
  lateMs: 3_600_000,
  nextAt: NOON,
  shown: { name: "start" },
  revision: 1,
  createdAt: NOON,
  updatedAt: NOON,
  ...fields,
});

const later = (ms: number): Instant => instant(NOON + ms);
const sealed = new Uint8Array([1, 2]);
const makeRun = (dueAt: Instant, fields: Partial<ScheduleRun> = {}): ScheduleRun => ({
  dueAt,
  at: dueAt,
  outcome: "RAN",
  bulkId: undefined,
  reason: undefined,
  ...fields,
});

export function scheduleStoreContract(open: OpenStores): void {
  const step = (nextAt: Instant | undefined, runs: readonly ScheduleRun[]) => ({
    runs,
    bulk: undefined,
    nextAt,
    disables: false,
    anyRevision: false,
  });

  test("a schedule is found, listed, changed by its revision, and deleted", async () => {
    const { schedules } = await open();
    const timing = { siteId: newId(), daily: { at: "sunset", days: undefined }, except: ["holidays"], only: [] };
    const schedule = makeSchedule({ timing });
    await schedules.insert({ schedule, sealed }, makeEntry());
    const found = await schedules.find(schedule.id);
    expect([found?.schedule, [...(found?.sealed ?? [])]]).toEqual([schedule, [1, 2]]);
    expect((await schedules.list(schedule.owner.tokenId, ALL)).items).toEqual([schedule]);
    expect((await schedules.list(newId(), ALL)).total).toBe(0);
    const next = { ...schedule, name: "Later", cron: undefined, at: later(5), revision: 2, isEnabled: false };
    expect(await schedules.update({ schedule: next, sealed, keepsTime: false }, makeEntry())).toEqual(next);
    await expectRefusal(schedules.update({ schedule: next, sealed, keepsTime: false }, makeEntry()), "conflict");
    expect((await schedules.find(schedule.id))?.schedule).toEqual(next);
    const gone = makeSchedule({ revision: 2 });
    expect(await schedules.update({ schedule: gone, sealed, keepsTime: false }, makeEntry())).toBeUndefined();
    expect(await schedules.delete(schedule.id, makeEntry())).toBe(true);
    expect([await schedules.delete(schedule.id, makeEntry()), await schedules.find(schedule.id)]).toEqual([
      false,
      undefined,
    ]);
  });

  test("of several that run the same time one does, together with its bulk command", async () => {
    const { schedules, bulks } = await open();
    const schedule = makeSchedule();
    await schedules.insert({ schedule, sealed }, makeEntry());
    expect((await schedules.due(later(-1))).length).toBe(0);
    expect(await schedules.due(NOON)).toEqual([schedule.id]);
    const made = [makeBulk(2), makeBulk(2)];
    const done = await Promise.all(
      made.map((input) =>
        schedules.step(schedule, {
          ...step(later(1_000), [makeRun(NOON, { bulkId: input.bulk.id })]),
          bulk: { input, trail: makeEntry() },
        }),
      ),
    );
    expect(done.toSorted()).toEqual([false, true]);
    const stored = await Promise.all(made.map(({ bulk }) => bulks.find(bulk.id)));
    expect(stored.filter((one) => one !== undefined)).toHaveLength(1);
    expect((await schedules.runs(schedule.id, ALL)).items).toHaveLength(1);
    expect((await schedules.find(schedule.id))?.schedule.nextAt).toBe(later(1_000));
    expect(await schedules.due(NOON)).toEqual([]);
  });

  test("a schedule that was changed or disabled meanwhile does not run", async () => {
    const { schedules } = await open();
    const schedule = makeSchedule();
    await schedules.insert({ schedule, sealed }, makeEntry());
    const changed = { ...schedule, revision: 2, isEnabled: false };
    await schedules.update({ schedule: changed, sealed, keepsTime: false }, makeEntry());
    expect(await schedules.step(schedule, step(later(1), [makeRun(NOON)]))).toBe(false);
    expect(await schedules.step(changed, step(later(1), [makeRun(NOON)]))).toBe(false);
    expect(await schedules.due(NOON)).toEqual([]);
    // It was due, and it is said that it has not run.
    expect((await schedules.runs(schedule.id, ALL)).items).toMatchObject([{ outcome: "SKIPPED", dueAt: NOON }]);
  });

  test("a schedule that is changed again and again runs in the end, and only the time that was due", async () => {
    const { schedules } = await open();
    const schedule = makeSchedule();
    await schedules.insert({ schedule, sealed }, makeEntry());
    const renamed = { ...schedule, name: "Renamed", revision: 2 };
    await schedules.update({ schedule: renamed, sealed, keepsTime: true }, makeEntry());
    const ran = step(later(1_000), [makeRun(NOON)]);
    expect(await schedules.step(schedule, ran)).toBe(false);
    expect(await schedules.step(schedule, { ...ran, anyRevision: true })).toBe(true);
    expect(await schedules.step(schedule, { ...ran, anyRevision: true })).toBe(false);
    expect((await schedules.find(schedule.id))?.schedule).toEqual({ ...renamed, nextAt: later(1_000) });
    const disabled = { ...renamed, nextAt: later(1_000), revision: 3, isEnabled: false };
    await schedules.update({ schedule: disabled, sealed, keepsTime: false }, makeEntry());
    expect(await schedules.step(renamed, { ...ran, anyRevision: true })).toBe(false);
  });

  test("a change of something else keeps the time that is stored, which may have run meanwhile", async () => {
    const { schedules } = await open();
    const schedule = makeSchedule();
    await schedules.insert({ schedule, sealed }, makeEntry());
    expect(await schedules.step(schedule, step(later(1_000), [makeRun(NOON)]))).toBe(true);
    const renamed = { ...schedule, name: "Renamed", revision: 2 };
    const stored = await schedules.update({ schedule: renamed, sealed, keepsTime: true }, makeEntry());
    expect(stored).toEqual({ ...renamed, nextAt: later(1_000) });
    expect(await schedules.due(NOON)).toEqual([]);
    expect((await schedules.runs(schedule.id, ALL)).total).toBe(1);
  });

  test("the last runs are kept, newest first, and one that lost its rights is disabled", async () => {
    const { schedules } = await open();
    let schedule = makeSchedule();
    await schedules.insert({ schedule, sealed }, makeEntry());
    for (let n = 0; n < MAX_RUNS + 5; n++) {
      const nextAt = later(n + 1);
      expect(await schedules.step(schedule, step(nextAt, [makeRun(later(n))]))).toBe(true);
      schedule = { ...schedule, nextAt };
    }
    const { items, total } = await schedules.runs(schedule.id, { limit: 2, offset: 0 });
    expect([total, items.map(({ dueAt }) => dueAt)]).toEqual([MAX_RUNS, [later(MAX_RUNS + 4), later(MAX_RUNS + 3)]]);
    const refused = makeRun(later(MAX_RUNS + 5), { outcome: "REFUSED", reason: "revoked" });
    await schedules.step(schedule, { ...step(later(1_000), [refused]), disables: true });
    expect((await schedules.find(schedule.id))?.schedule.isEnabled).toBe(false);
    expect((await schedules.runs(schedule.id, { limit: 1, offset: 0 })).items).toEqual([refused]);
  });
}
