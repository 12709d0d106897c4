// The newest value of each series, in memory on the thread that serves. All of them are bounded in bytes; long texts
// have a budget of their own, in which each device has a part.
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { type ByteShares, createByteShares, type GiveBack } from "#core/share/byte-shares.ts";
import type { isLater } from "#core/telemetry/latest-value.ts";
import type { Snapshot } from "#service/ports/telemetry-store.ts";
import type { SeriesDefinition } from "./batch.ts";

/** Half a million values. */
export const CURRENT_VALUES_BYTES = 64 * 1024 * 1024;
export const CURRENT_TEXTS_BYTES = 32 * 1024 * 1024;
/** What a value holds, about: its time, its number or short text, and its place in the map. */
const VALUE_BYTES = 128;
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

  readonly #values: ByteBudget;

  constructor(values: ByteBudget, texts: ByteBudget) {
    this.#values = values;
    this.#texts = createByteShares(texts, PER_DEVICE);
  }

  of(deviceId: string): ReadonlyMap<string, Snapshot> {
    return this.#devices.get(deviceId) ?? NOTHING;
  }

  /** A value that finds no room is not kept: the attribute then has no current value, only its history. */
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
    } else if (!this.#values.take(VALUE_BYTES)) return;
    const snapshot = { at, value };
    if (!isLong(value)) device.set(attribute, snapshot);
    else {
      const giveBack = this.#texts.take(deviceId, value.length);
      if (typeof giveBack === "function") {
        this.#held.set(snapshot, giveBack);
        device.set(attribute, snapshot);
      } else if (device.delete(attribute) || before === undefined) this.#values.give(VALUE_BYTES);
    }
  }

  delete(deviceId: string): void {
    const values = this.of(deviceId);
    this.#values.give(values.size * VALUE_BYTES);
    for (const snapshot of values.values()) if (isLong(snapshot.value)) this.#forget(snapshot);
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
