// A record that a cloud does not take from a gateway. The rest of what the gateway sends is taken. The operators of both
// sides see the record and the reason.

export interface RefusedRecord {
  /** Such as site or device. */
  readonly kind: string;
  /** The record among those of its kind. */
  readonly key: string;
  readonly reason: string;
}

/** How many are remembered of one gateway. */
export const MAX_REFUSED = 100;
const LONGEST_REFUSED_KEY = 200;
const LONGEST_REASON = 500;

/** Thrown where a record is applied: this record is refused, and the connection goes on. */
export class RecordRefused extends Error {}

export function refusedRecord(kind: string, key: string, reason: string): RefusedRecord {
  return { kind, key: key.slice(0, LONGEST_REFUSED_KEY), reason: reason.slice(0, LONGEST_REASON) };
}
