// What is kept about blueprints that many devices get in stages.
import { expect, test } from "vitest";
import type { Rollout, RolloutDevice } from "#core/rollout/rollout.ts";
import { noDevices, rolloutRequest } from "#core/rollout/rollout.ts";
import { instant } from "#core/time/instant.ts";
import { makeGateway, makeJoinCode } from "../support/gateways.ts";
import { makeBlueprint, makeEntry, makeSite, NOON, newId } from "../support/records.ts";
import { makeChange } from "./change-store-contract.ts";
import { ALL, auditIds, expectNothingWithoutItsTrail, expectRefusal, type OpenStores } from "./stores.ts";

const makeRollout = (blueprintId: string): Rollout => ({
  id: newId(),
  name: "New firmware",
  blueprintId,
  stages: [1, 3],
  watchMs: 600_000,
  timeoutMs: 3_600_000,
  maxFailures: 1,
  state: "RUNNING",
  reason: undefined,
  stage: 0,
  tolerated: 0,
  createdBy: { tokenId: newId(), tokenName: "admin" },
  createdAt: NOON,
  updatedAt: NOON,
});

/** As it is listed. */
const here = <Device extends RolloutDevice>(device: Device) => ({ ...device, isAway: false });

const makeOne = (deviceId: string, stage: number): RolloutDevice => ({
  deviceId,
  siteId: "s",
  stage,
  state: "WAITING",
  since: NOON,
  reason: undefined,
  formerBlueprintId: undefined,
  wasOnline: false,
  before: undefined,
});

/** The device becomes so after it was WAITING from the beginning. */
const fromWaiting = (to: RolloutDevice) => ({ from: { state: "WAITING", since: NOON } as const, to });

export function rolloutStoreContract(open: OpenStores): void {
  const opened = async () => {
    const stores = await open();
    const blueprint = await stores.blueprints.insert(makeBlueprint(), new Uint8Array([1]), makeEntry());
    const rollout = makeRollout(blueprint.id);
    const devices = [makeOne("a", 0), makeOne("c", 1), makeOne("b", 1)];
    await stores.rollouts.insert(rollout, devices, makeEntry());
    return { stores, rollouts: stores.rollouts, rollout, devices };
  };
  const later = instant(NOON + 1);

  test("a roll-out is found as it was stored, with its devices by stage", async () => {
    const { rollouts, rollout, devices } = await opened();
    const { id } = rollout;
    expect([await rollouts.find(id), await rollouts.find("x")]).toEqual([rollout, undefined]);
    expect([(await rollouts.list(ALL)).items, await rollouts.running()]).toEqual([[rollout], [rollout]]);
    const [a, c, b] = devices.map(here);
    expect((await rollouts.devices(id, {}, ALL)).items).toEqual([a, b, c]);
    expect((await rollouts.devices(id, { stage: 1 }, { limit: 1, offset: 1 })).items).toEqual([c]);
    expect(await rollouts.devices(id, { states: ["FAILED"] }, ALL)).toMatchObject({ items: [], total: 0 });
    expect(await rollouts.counts(id)).toEqual({ ...noDevices(), WAITING: 3 });
    expect(await rollouts.counts(id, 0)).toEqual({ ...noDevices(), WAITING: 1 });
  });

  test("devices change, and what is known of the others stays", async () => {
    const { rollouts, rollout } = await opened();
    const { id } = rollout;
    const failed = { ...makeOne("b", 1), state: "FAILED", since: later, reason: "it is offline" } as const;
    const watched = {
      ...makeOne("a", 0),
      state: "WATCHED",
      wasOnline: true,
      before: { alertAt: 5, logAt: 6_000 },
    } as const;
    expect(await rollouts.putDevices(id, [failed, watched].map(fromWaiting))).toBe(true);
    expect((await rollouts.devices(id, {}, ALL)).items).toEqual([watched, failed, makeOne("c", 1)].map(here));
    expect(await rollouts.counts(id)).toEqual({ ...noDevices(), WAITING: 1, WATCHED: 1, FAILED: 1 });
    await rollouts.beginStage(id, 1, later);
    expect(await rollouts.find(id)).toEqual({ ...rollout, stage: 1, updatedAt: later });
  });

  test("a state changes only from those that are named, with its audit entry, and failures are tolerated when asked", async () => {
    const { stores, rollouts, rollout } = await opened();
    const { id } = rollout;
    await rollouts.putDevices(id, [fromWaiting({ ...makeOne("a", 0), state: "FAILED" })]);
    const halt = { from: ["RUNNING"], to: "HALTED", reason: "1 device has failed", at: later } as const;
    const halted = { ...rollout, state: "HALTED", reason: halt.reason, updatedAt: later } as const;
    expect(await rollouts.turn(id, halt, undefined)).toEqual(halted);
    expect([await rollouts.turn(id, halt, undefined), await rollouts.running()]).toEqual([undefined, []]);
    const trail = makeEntry();
    const resume = { from: ["PAUSED", "HALTED"], to: "RUNNING", at: later, tolerates: true } as const;
    expect(await rollouts.turn(id, resume, trail)).toEqual({ ...rollout, tolerated: 1, updatedAt: later });
    expect(await auditIds(stores)).toContain(trail.id);
    const pause = { from: ["RUNNING"], to: "PAUSED", at: later } as const;
    await expectNothingWithoutItsTrail(stores, (entry) => rollouts.turn(id, pause, entry));
    expect((await rollouts.find(id))?.state).toBe("RUNNING");
  });

  /** Devices a and b are ASSIGNING, and a change waits for each. Another change for a is not of the roll-out. */
  const asked = async () => {
    const made = await opened();
    const { stores, rollouts, rollout } = made;
    const { id } = rollout;
    const assigning = ["a", "b"].map((name) => ({ ...makeOne(name, 0), state: "ASSIGNING" }) as const);
    await rollouts.putDevices(id, assigning.map(fromWaiting));
    const changeFor = (deviceId: string, requestId = rolloutRequest(id)) =>
      makeChange({ deviceId, requestId, operation: "assignBlueprint" });
    const [ofA, ofB, other] = [changeFor("a"), changeFor("b"), changeFor("a", "r")] as const;
    for (const change of [ofA, ofB]) await stores.changes.ask(change, makeEntry(), id);
    await stores.changes.ask(other, makeEntry());
    const statesOf = () =>
      Promise.all([ofA, ofB, other].map(async (one) => (await stores.changes.find(one.id))?.state));
    const devices = async () =>
      (await rollouts.devices(id, {}, ALL)).items.map(({ deviceId, state, since, reason }) =>
        [deviceId, state, since - NOON, reason].filter((part) => part !== undefined).join(" "),
      );
    return { ...made, id, ofA, changeFor, statesOf, devicesAre: devices };
  };

  test.each([
    ["PAUSED", "WAITING 1"],
    ["HALTED", "WAITING 1"],
    ["ABORTED", "SKIPPED 1 the roll-out was aborted before the device had the blueprint"],
  ] as const)("what waits of a roll-out that becomes %s is withdrawn, and its devices are %s", async (to, becomes) => {
    const { stores, rollouts, id, ofA, changeFor, statesOf, devicesAre } = await asked();
    expect(await statesOf()).toEqual(["PENDING", "PENDING", "PENDING"]);
    await rollouts.turn(id, { from: ["RUNNING"], to, at: later }, undefined);
    expect(await statesOf()).toEqual(["WITHDRAWN", "WITHDRAWN", "PENDING"]);
    const withdrawn = {
      state: "WITHDRAWN",
      settledAt: later,
      outcome: { state: "WITHDRAWN", isByRollout: true },
      sealed: new Uint8Array(),
    };
    expect(await stores.changes.find(ofA.id)).toMatchObject(withdrawn);
    expect(await devicesAre()).toEqual([`a ${becomes}`, `b ${becomes}`, "c WAITING 0"]);
    // What was begun before the turn comes too late.
    expect(await rollouts.putDevices(id, [fromWaiting({ ...makeOne("a", 0), state: "WATCHED" })])).toBe(false);
    await expectRefusal(stores.changes.ask(changeFor("a"), makeEntry(), id), "conflict");
    expect(await devicesAre()).toContain(`a ${becomes}`);
    const { items } = await stores.changes.list(
      { scope: "all", deviceIds: ["a"], requestIds: [rolloutRequest(id)] },
      ALL,
    );
    expect(items.map((one) => one.id)).toEqual([ofA.id]);
  });

  test("what waits for a device that has failed is withdrawn, and nothing more is asked for it", async () => {
    const { stores, rollouts, id, changeFor, statesOf } = await asked();
    const failed = { ...makeOne("a", 0), state: "FAILED", since: later } as const;
    // Somebody has changed it meanwhile.
    for (const from of [makeOne("a", 0), { state: "ASSIGNING", since: later }] as const) {
      expect(await rollouts.putDevices(id, [{ from, to: failed }])).toBe(true);
    }
    expect(await statesOf()).toEqual(["PENDING", "PENDING", "PENDING"]);
    await rollouts.putDevices(id, [{ from: { state: "ASSIGNING", since: NOON }, to: failed }]);
    expect(await statesOf()).toEqual(["WITHDRAWN", "PENDING", "PENDING"]);
    await expectRefusal(stores.changes.ask(changeFor("a"), makeEntry(), id), "conflict");
  });

  test("devices are away while their gateway is, and those of the stage can be left out", async () => {
    const { stores, rollouts, rollout } = await opened();
    const { id } = rollout;
    const gateway = makeGateway();
    const code = makeJoinCode();
    await stores.gateways.insertCode(code, makeEntry());
    await stores.gateways.join(code.hash, gateway, makeEntry());
    await stores.copies.site(gateway.id, { ...makeSite(), id: "s" }, NOON);
    const away = async () => (await rollouts.devices(id, { isAway: true }, ALL)).items.map(({ deviceId }) => deviceId);
    expect(await away()).toEqual(["a", "b", "c"]);
    const seen = { version: "1", epoch: "e", taken: 1, at: NOON };
    // It is there, and has still to report what happened.
    await stores.gateways.noteTaken(gateway.id, { ...seen, isCaughtUp: false });
    expect(await away()).toEqual(["a", "b", "c"]);
    await stores.gateways.noteTaken(gateway.id, { ...seen, isCaughtUp: true });
    expect(await away()).toEqual([]);
    expect((await rollouts.devices(id, { isAway: false }, ALL)).total).toBe(3);
    await stores.gateways.noteGone(gateway.id);
    expect((await rollouts.devices(id, {}, ALL)).items.map(({ isAway }) => isAway)).toEqual([true, true, true]);
    await rollouts.beginStage(id, 1, later);
    await rollouts.putDevices(id, [fromWaiting({ ...makeOne("b", 1), state: "WATCHED" })]);
    await rollouts.turn(id, { from: ["RUNNING"], to: "RUNNING", at: later, skipsAway: true }, undefined);
    const skipped = { state: "SKIPPED", since: later, reason: "its gateway was away" };
    expect((await rollouts.devices(id, {}, ALL)).items).toMatchObject([{ state: "WAITING" }, skipped, skipped]);
  });
}
