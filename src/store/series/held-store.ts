// Points whose time is too far in the future to be right, unless our own clock is wrong. They are durable, and no
// answer contains them. When the clock is set forward, the points whose time is right by the new clock are released.
import type { Awaitable } from "#store/awaitable.ts";

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
