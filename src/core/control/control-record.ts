import type { Door } from "#core/access/door.ts";
import type { ClaimClass } from "./claim.ts";
import type { Follow } from "./control-writer.ts";

/** One entry of what controlled a device: it holds until the next one of its control. */
export interface ControlRecord {
  readonly control: string;
  /** Microseconds since 1970. */
  readonly at: number;
  /** Undefined: the fallback. */
  readonly value: number | undefined;
  readonly follow: Follow;
  readonly measured: number | undefined;
  /** Those of the winner; undefined: the fallback, or limits alone. */
  readonly class: ClaimClass | undefined;
  readonly source: string | undefined;
  readonly reason: string | undefined;
  readonly cause: string | undefined;
  readonly door?: Door | undefined;
}

/** Claims of one device that hold at once. */
export const MOST_CLAIMS = 64;
/** Controls of one device that a gateway reports. */
export const MOST_CONTROLS = 256;
export const LONGEST_REASON = 200;
/** Entries of one device; the oldest go first. */
export const MOST_RECORDS = 10_000;
