// What keeps a schedule from beginning, and how long it waits.
import { expect, test } from "vitest";
import { refuse } from "#core/app-error.ts";
import { instant } from "#core/time/instant.ts";
import { ALL } from "../../../test/contract/stores.ts";
import { newId } from "../../../test/support/records.ts";
import { useRecords } from "../../../test/support/sqlite-records.ts";
import { changeSchedule, createSchedule, type ScheduleFields, type ScheduleNeeds } from "./save-schedule.ts";
import { createScheduleRunner, type ScheduleRunnerNeeds } from "./schedule-runner.ts";

const { emptied } = useRecords();
const START = Date.parse("2026-11-18T12:00:00Z");
const SECOND = 1_000;

async function open() {
  const stores = await emptied();
  const world = {
    now: START,
    /** What is refused when a run is to be stored. */
    full: undefined as Error | undefined,
    /** What looking up the token is refused with. */
    holder: undefined as Error | undefined,
    /** Comes between reading a schedule and storing its run. */
    meanwhile: async () => {},
    warnings: 0,
  };
  const caller = { tokenId: newId(), tokenName: "admin", level: "owner", sites: "all" } as const;
  const call = { caller, operation: "test", requestId: "r", remoteAddress: "test" };
  const needs = {
    ...stores,
    now: () => instant(world.now),
    newId,
    seal: {
      seal: (text: string) => new TextEncoder().encode(text),
      open: (bytes: Uint8Array) => new TextDecoder().decode(bytes),
      fingerprint: () => new Uint8Array(),
    },
    catalog: {},
  } as unknown as ScheduleNeeds;
  const runner = createScheduleRunner({
    ...needs,
    schedules: {
      ...stores.schedules,
      step: async (...given: Parameters<typeof stores.schedules.step>) => {
        await world.meanwhile();
        if (world.full !== undefined && given[1].bulk !== undefined) throw world.full;
        return await stores.schedules.step(...given);
      },
    },
    authenticator: {
      holder() {
        if (world.holder !== undefined) throw world.holder;
        return { token: {}, caller };
      },
    },
    log: {
      warn() {
        world.warnings += 1;
      },
    },
  } as unknown as ScheduleRunnerNeeds);
  const create = async (given: Pick<ScheduleFields, "at" | "missed" | "late_within">) => {
    const bulk = { name: "stop", devices: { device_ids: ["nobody"] } };
    const at = new Date(START + SECOND).toISOString();
    return (await createSchedule(needs, call, { name: "s", bulk, at, ...given })).id;
  };
  const change = async (id: string, given: ScheduleFields) => {
    const revision = (await stores.schedules.find(id))?.schedule.revision ?? 0;
    await changeSchedule(needs, call, { id, revision, given });
  };
  const runsOf = async (id: string) =>
    (await stores.schedules.runs(id, ALL)).items.map(({ outcome, reason }) => [outcome, reason]);
  const wait = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      world.now += SECOND;
      await runner.runDue();
    }
  };
  return { world, stores, create, change, runsOf, wait };
}

const FULL = refuse("queue_full", "10 bulk commands of this token still run");

test("a time for which there is no room waits for it", async () => {
  const { world, create, runsOf, wait } = await open();
  const id = await create({});
  world.full = FULL;
  await wait(30);
  expect([await runsOf(id), world.warnings]).toEqual([[], 1]);
  world.full = undefined;
  await wait(16);
  expect(await runsOf(id)).toEqual([["RAN", undefined]]);
});

test("what has waited for too long is skipped, with the reason", async () => {
  const { world, create, runsOf, wait } = await open();
  const [soon, late] = [await create({}), await create({ missed: "run_late", late_within: "5m" })];
  world.full = FULL;
  await wait(90);
  expect(await runsOf(soon)).toEqual([["SKIPPED", `the time was missed: ${FULL.message}`]]);
  expect(await runsOf(late)).toEqual([]);
  world.full = undefined;
  await wait(16);
  expect(await runsOf(late)).toEqual([["RAN", expect.stringContaining("s late")]]);
});

test("schedules that wait do not keep others from beginning", async () => {
  const { world, create, stores, runsOf, wait } = await open();
  const first = await create({ missed: "run_late" });
  world.full = FULL;
  await wait(3);
  const second = await create({ at: new Date(world.now + SECOND).toISOString() });
  world.full = undefined;
  await wait(1);
  expect(await runsOf(second)).toEqual([["RAN", undefined]]);
  await wait(16);
  expect(await runsOf(first)).toEqual([["RAN", undefined]]);
  expect(await stores.schedules.due(instant(world.now))).toEqual([]);
});

test("a store that is away ends no schedule, and a token that has ended does", async () => {
  const { world, create, stores, runsOf, wait } = await open();
  const id = await create({});
  world.holder = refuse("storage_unavailable", "the records cannot be read now");
  await wait(5);
  expect([await runsOf(id), (await stores.schedules.find(id))?.schedule.isEnabled]).toEqual([[], true]);
  world.holder = refuse("unauthorized", "the token was revoked");
  await wait(16);
  expect(await runsOf(id)).toEqual([["REFUSED", "the token was revoked"]]);
  expect((await stores.schedules.find(id))?.schedule.isEnabled).toBe(false);
});

test("changes of its name that never end do not keep it from running", async () => {
  const { world, create, change, runsOf, wait, stores } = await open();
  const id = await create({});
  let names = 0;
  world.meanwhile = () => change(id, { name: `name ${++names}` });
  await wait(2);
  expect(await runsOf(id)).toEqual([["RAN", undefined]]);
  expect((await stores.schedules.find(id))?.schedule).toMatchObject({ name: `name ${names}`, nextAt: undefined });
});

test("whoever disables it while it begins keeps it from running", async () => {
  const { world, create, change, runsOf, wait } = await open();
  const id = await create({});
  world.meanwhile = async () => {
    world.meanwhile = async () => {};
    await change(id, { is_enabled: false });
  };
  await wait(2);
  expect(await runsOf(id)).toEqual([["SKIPPED", "the schedule was changed before it could run"]]);
});
