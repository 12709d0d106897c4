import { expect, test } from "vitest";
import { type Adjustments, untouched } from "#core/simulator/adjustments.ts";
import { instant } from "#core/time/instant.ts";
import type { SimulationStore } from "#service/ports/simulation-store.ts";
import { makeEntry, NOON, newId, OBJECT_PROPERTY_NAMES } from "../support/records.ts";

/** An empty store, and a device. */
export interface SimulationWorld {
  readonly simulations: SimulationStore;
  readonly deviceId: string;
  /** How many audit entries there are. */
  audited(): Promise<number>;
  forget(): Promise<unknown>;
}

/** Every field set, under names that a prototype knows. */
function everything(): Adjustments {
  const values = new Map<string, unknown>(
    OBJECT_PROPERTY_NAMES.map((name, index) => [name, [index, { deep: "Größe" }]]),
  );
  return {
    seed: 4_294_967_295,
    speed: 0.5,
    isPaused: true,
    intervalMs: 100,
    telemetry: values,
    properties: values,
    alerts: new Map([
      ["a", true],
      ["b", false],
    ]),
    nextCommand: {
      kind: "slow",
      command: undefined,
      times: 3,
      message: undefined,
      delayMs: 20_000,
      reportsProgress: false,
    },
    written: values,
    stoppedAt: NOON,
    clock: { real: NOON, simulated: instant(NOON + 1) },
  };
}

export function simulationStoreContract(open: () => Promise<SimulationWorld>): void {
  test("what was changed is read as it was written, and replaced by what is written next", async () => {
    const { simulations, deviceId } = await open();
    expect(await simulations.get(deviceId)).toBeUndefined();
    for (const adjustments of [everything(), untouched(1, NOON)]) {
      expect(await simulations.put(deviceId, adjustments, undefined)).toBe(true);
      expect(await simulations.get(deviceId)).toEqual(adjustments);
    }
  });

  test("a change and its audit entry are stored together or not at all; a device's own change has none", async () => {
    const { simulations, deviceId, audited } = await open();
    const entry = makeEntry();
    await simulations.put(deviceId, untouched(1, NOON), undefined);
    expect(await audited()).toBe(0);
    await simulations.put(deviceId, untouched(2, NOON), entry);
    expect(await audited()).toBe(1);
    await expect(simulations.put(deviceId, untouched(3, NOON), entry)).rejects.toThrow();
    expect((await simulations.get(deviceId))?.seed).toBe(2);
  });

  test("nothing is stored of a device that is gone", async () => {
    const { simulations, deviceId, forget } = await open();
    await simulations.put(deviceId, untouched(1, NOON), undefined);
    await forget();
    expect(await simulations.get(deviceId)).toBeUndefined();
    expect(await simulations.put(deviceId, untouched(1, NOON), makeEntry())).toBe(false);
    expect(await simulations.put(newId(), untouched(1, NOON), undefined)).toBe(false);
  });
}
