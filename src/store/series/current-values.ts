// The newest value of each series, in memory on the thread that serves. A number takes little room, and there are as
// many as declared attributes. Long texts are bounded in bytes, per device and in total.
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
  /** The current time. */
  readonly at: number;
  /** Whether it replaces the known value. */
  readonly fits: typeof isLater;
}

export class CurrentValues {
  readonly #devices = new Map<string, Map<string, Snapshot>>();
  /** Bytes of the long texts. */
  readonly #held = new Map<Snapshot, GiveBack>();
  readonly #texts: ByteShares;

  constructor(budget: ByteBudget) {
    this.#texts = createByteShares(budget, PER_DEVICE);
  }

  of(deviceId: string): ReadonlyMap<string, Snapshot> {
    return this.#devices.get(deviceId) ?? NOTHING;
  }

  /** A text that finds no room is not kept: the attribute then has no current value, only its history. */
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
