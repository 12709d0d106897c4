// The newest value of each series, in memory on the thread that serves. A number takes little, and there are as many as attributes are
// declared; long texts are bounded in bytes, of a device and of all.
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { type ByteShares, createByteShares, type GiveBack } from "#core/share/byte-shares.ts";
import type { isLater } from "#core/telemetry/latest-value.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import type { SeriesDefinition } from "./batch.ts";

export const CURRENT_TEXTS_BYTES = 32 * 1024 * 1024;
const PER_DEVICE = 2 * 1024 * 1024;
/** Shorter texts are not counted. */
const SHORT = 256;

export interface Candidate {
  readonly snapshot: Snapshot;
  /** What the clock says. */
  readonly at: number;
  /** Whether it takes the place of what is known. */
  readonly fits: typeof isLater;
}

export class CurrentValues {
  readonly #devices = new Map<string, Map<string, Snapshot>>();
  /** Of the long texts. */
  readonly #held = new Map<Snapshot, GiveBack>();
  readonly #texts: ByteShares;

  constructor(budget: ByteBudget) {
    this.#texts = createByteShares(budget, PER_DEVICE);
  }

  of(deviceId: string): ReadonlyMap<string, Snapshot> {
    return this.#devices.get(deviceId) ?? NOTHING;
  }

  /** A text for which there is no room is not kept: the attribute then has no current value, only its history. */
  note(
    { deviceId, attribute }: Pick<SeriesDefinition, "deviceId" | "attribute">,
    { snapshot: { at, value }, at: clock, fits }: Candidate,
  ): void {
    let device = this.#devices.get(deviceId);
    if (device === undefined) {
      device = new Map();
      this.#devices.set(deviceId, device);
    }
    const before = device.get(attribute);
    if (before !== undefined) {
      if (!fits(at, before.at, clock)) return;
      if (isLong(before.value)) this.#forget(before);
    }
    const snapshot = { at, value };
    if (!isLong(value)) device.set(attribute, snapshot);
    else {
      const giveBack = this.#texts.take(deviceId, value.length);
      if (typeof giveBack === "function") {
        this.#held.set(snapshot, giveBack);
        device.set(attribute, snapshot);
      } else device.delete(attribute);
    }
  }

  delete(deviceId: string): void {
    for (const snapshot of this.of(deviceId).values()) if (isLong(snapshot.value)) this.#forget(snapshot);
    this.#devices.delete(deviceId);
  }

  #forget(snapshot: Snapshot): void {
    this.#held.get(snapshot)?.();
    this.#held.delete(snapshot);
  }
}

const NOTHING: ReadonlyMap<string, Snapshot> = new Map();

function isLong(value: Snapshot["value"]): value is string {
  return typeof value === "string" && value.length > SHORT;
}
