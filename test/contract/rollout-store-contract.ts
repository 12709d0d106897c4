// What is kept about blueprints that many devices get in stages.
import { expect, test } from "vitest";
import type { Rollout, RolloutDevice } from "#core/blueprint/rollout.ts";
import { noDevices } from "#core/blueprint/rollout.ts";
import { instant } from "#core/time/instant.ts";
import { makeBlueprint, makeEntry, NOON, newId } from "../support/records.ts";
import { ALL, auditIds, expectNothingWithoutItsTrail, type OpenStores } from "./stores.ts";

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

const makeOne = (deviceId: string, stage: number): RolloutDevice => ({
  deviceId,
  siteId: "s",
  stage,
  state: "WAITING",
  since: NOON,
  reason: undefined,
  formerBlueprintId: undefined,
  wasOnline: false,
});

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
    const [a, c, b] = devices;
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
    const watched = { ...makeOne("a", 0), state: "WATCHED", formerBlueprintId: "f", wasOnline: true } as const;
    await rollouts.putDevices(id, [failed, watched]);
    expect((await rollouts.devices(id, {}, ALL)).items).toEqual([watched, failed, makeOne("c", 1)]);
    expect(await rollouts.counts(id)).toEqual({ ...noDevices(), WAITING: 1, WATCHED: 1, FAILED: 1 });
    await rollouts.beginStage(id, 1, later);
    expect(await rollouts.find(id)).toEqual({ ...rollout, stage: 1, updatedAt: later });
  });

  test("a state changes only from those that are named, with its audit entry, and failures are tolerated when asked", async () => {
    const { stores, rollouts, rollout } = await opened();
    const { id } = rollout;
    const halt = { from: ["RUNNING"], to: "HALTED", reason: "1 device has failed", at: later } as const;
    const halted = { ...rollout, state: "HALTED", reason: halt.reason, updatedAt: later } as const;
    expect(await rollouts.turn(id, halt, undefined)).toEqual(halted);
    expect([await rollouts.turn(id, halt, undefined), await rollouts.running()]).toEqual([undefined, []]);
    await rollouts.putDevices(id, [{ ...makeOne("a", 0), state: "FAILED" }]);
    const trail = makeEntry();
    const resume = { from: ["PAUSED", "HALTED"], to: "RUNNING", at: later, tolerates: true } as const;
    expect(await rollouts.turn(id, resume, trail)).toEqual({ ...rollout, tolerated: 1, updatedAt: later });
    expect(await auditIds(stores)).toContain(trail.id);
    const pause = { from: ["RUNNING"], to: "PAUSED", at: later } as const;
    await expectNothingWithoutItsTrail(stores, (entry) => rollouts.turn(id, pause, entry));
    expect((await rollouts.find(id))?.state).toBe("RUNNING");
  });
}
