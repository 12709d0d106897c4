// Points whose time is too far in the future to be right, unless our own clock is wrong. They are durable, and no
// answer contains them. When the clock is set forward, the points whose time is right by the new clock are released.
import type { Awaitable } from "#store/awaitable.ts";

/** Limit per device, so that a device with a wrong clock leaves room for others. */
const DEVICE_BYTES = 1024 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;
/** Rows that are released at once. */
export const RELEASED_AT_ONCE = 500;
export const MAX_AHEAD_MS = 24 * 3_600_000;

export interface HeldPoints {
  readonly deviceId: string;
  /** Unix milliseconds. */
  readonly at: number;
  /** The same moment by our clock. */
  readonly arrivedAt: number;
  /** Pairs of attribute and value, as JSON. */
  readonly values: string;
}

export interface HeldRow extends HeldPoints {
  readonly id: number;
}

/** Each change is durable when it resolves. */
export interface HeldStore {
  /** Points without room are dropped. */
  put(points: readonly HeldPoints[]): Awaitable<void>;
  /** The clock was set by this much: the arrival times of the points of this run are corrected. */
  shift(byMs: number): Awaitable<void>;
  /** Some of the points whose time is right after all. */
  releasable(): Awaitable<readonly HeldRow[]>;
  remove(rows: readonly HeldRow[]): Awaitable<void>;
  deleteDevice(deviceId: string): Awaitable<void>;
}

/** Counts the bytes that are held. */
export function createHeldRoom() {
  const used = new Map<string, number>();
  let all = 0;
  const of = (deviceId: string) => used.get(deviceId) ?? 0;
  const count = (deviceId: string, bytes: number) => {
    used.set(deviceId, of(deviceId) + bytes);
    all += bytes;
  };
  return {
    count,
    has: (deviceId: string, bytes: number) => of(deviceId) + bytes <= DEVICE_BYTES && all + bytes <= ALL_BYTES,
    free: (deviceId: string) => count(deviceId, -of(deviceId)),
  };
}
