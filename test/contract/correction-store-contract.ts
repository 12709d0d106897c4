import { expect, test } from "vitest";
import { type CounterCorrection, MAX_CORRECTIONS } from "#core/energy/counter-correction.ts";
import { instant } from "#core/time/instant.ts";
import type { CorrectionStore } from "#service/ports/correction-store.ts";
import { makeEntry, NOON, newId } from "../support/records.ts";
import { expectRefusal } from "./stores.ts";

/** An empty store, and two devices. */
export interface CorrectionWorld {
  readonly corrections: CorrectionStore;
  readonly deviceId: string;
  readonly otherId: string;
  /** How many audit entries there are. */
  audited(): Promise<number>;
  /** Deletes the first device. */
  forget(): Promise<unknown>;
}

function correctionAt(minutes: number, given: Partial<CounterCorrection> = {}): CounterCorrection {
  return {
    id: newId(),
    attribute: "constructor",
    beforeAt: instant(NOON + (minutes - 1) * 60_000),
    before: 50_000.1,
    at: instant(NOON + minutes * 60_000),
    value: 1e-7,
    kind: "accept",
    newStart: undefined,
    note: undefined,
    author: { tokenId: newId(), name: "Größe" },
    createdAt: NOON,
    ...given,
  };
}

export function correctionStoreContract(open: () => Promise<CorrectionWorld>): void {
  test("corrections are read as they were written, in the order of their steps, device by device", async () => {
    const { corrections, deviceId, otherId, audited } = await open();
    const late = correctionAt(2, {
      kind: "counter_replaced",
      newStart: 0.3,
      note: "new\u2028meter",
      value: 12_345.678,
    });
    const early = correctionAt(1);
    for (const one of [late, early]) await corrections.insert(deviceId, one, makeEntry());
    expect(await corrections.ofDevices([deviceId, otherId])).toEqual(
      new Map([
        [deviceId, [early, late]],
        [otherId, []],
      ]),
    );
    expect(await audited()).toBe(2);
  });

  test("a step has one correction, until that is withdrawn", async () => {
    const { corrections, deviceId, otherId, audited } = await open();
    const [first, second] = [correctionAt(1), correctionAt(1, { kind: "value_wrong" })];
    await corrections.insert(deviceId, first, makeEntry());
    await expectRefusal(corrections.insert(deviceId, second, makeEntry()), "conflict");
    await corrections.insert(deviceId, correctionAt(1, { attribute: "other" }), makeEntry());
    expect(await corrections.delete(otherId, first.id, makeEntry())).toBe(false);
    expect(await corrections.delete(deviceId, newId(), makeEntry())).toBe(false);
    expect(await corrections.delete(deviceId, first.id, makeEntry())).toBe(true);
    await corrections.insert(deviceId, second, makeEntry());
    const kinds = (await corrections.ofDevices([deviceId])).get(deviceId)?.map(({ kind }) => kind);
    expect([kinds, await audited()]).toEqual([["value_wrong", "accept"], 4]);
  });

  test("a device has a limited number of corrections", async () => {
    const { corrections, deviceId, otherId } = await open();
    for (let n = 0; n < MAX_CORRECTIONS; n++) await corrections.insert(deviceId, correctionAt(n), makeEntry());
    await expectRefusal(corrections.insert(deviceId, correctionAt(MAX_CORRECTIONS), makeEntry()), "conflict");
    await corrections.insert(otherId, correctionAt(MAX_CORRECTIONS), makeEntry());
    expect((await corrections.ofDevices([deviceId])).get(deviceId)).toHaveLength(MAX_CORRECTIONS);
  });

  test("a correction and its audit entry are stored together, or neither is", async () => {
    const { corrections, deviceId } = await open();
    const entry = makeEntry();
    const first = correctionAt(1);
    await corrections.insert(deviceId, first, entry);
    await expect(corrections.insert(deviceId, correctionAt(2), entry)).rejects.toThrow();
    await expect(corrections.delete(deviceId, first.id, entry)).rejects.toThrow();
    expect((await corrections.ofDevices([deviceId])).get(deviceId)).toEqual([first]);
  });

  test("corrections go with their device, and none is stored for a device that is gone", async () => {
    const { corrections, deviceId, forget } = await open();
    await corrections.insert(deviceId, correctionAt(1), makeEntry());
    await forget();
    expect((await corrections.ofDevices([deviceId])).get(deviceId)).toEqual([]);
    await expectRefusal(corrections.insert(deviceId, correctionAt(1), makeEntry()), "not_found");
  });
}
