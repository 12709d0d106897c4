// How a gateway stands with its cloud, as a pure fold over its connections: each is welcomed or not, and ends.
import type { Instant } from "#core/time/instant.ts";
import type { RefusedRecord } from "./refused-record.ts";

export interface UplinkState {
  readonly isConnected: boolean;
  /** Since when it is connected, or is not. */
  readonly since: Instant;
  /** The cloud has stored everything up to this number. */
  readonly taken: number;
  /** Why there is no connection. */
  readonly lastError: string | undefined;
  /** Records that the cloud did not take when it was connected last. */
  readonly refused: readonly RefusedRecord[];
  /** Connections one after the other that were of no use. */
  readonly failures: number;
}

const SHORTEST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** `confirmed`: the cloud has stored this much before. */
export function beginUplink(at: Instant, confirmed: number): UplinkState {
  return { isConnected: false, since: at, taken: confirmed, lastError: undefined, refused: [], failures: 0 };
}

/** The cloud has accepted the gateway. */
export function withWelcome(state: UplinkState, at: Instant): UplinkState {
  return { ...state, isConnected: true, since: at, lastError: undefined };
}

/** The connection has ended, or there was none. A connection that was cut after the welcome was of use. */
export function withEnd(
  state: UplinkState,
  end: {
    readonly at: Instant;
    readonly error: string | undefined;
    /** A cloud that does not want this gateway wants it as little after the next welcome. */
    readonly isByCloud: boolean;
  },
): UplinkState {
  const { isConnected, since, failures } = state;
  return {
    ...state,
    isConnected: false,
    since: isConnected ? end.at : since,
    lastError: end.error ?? state.lastError,
    failures: isConnected && !end.isByCloud ? 0 : failures + 1,
  };
}

export function withTaken(state: UplinkState, number: number): UplinkState {
  return { ...state, taken: Math.max(state.taken, number) };
}

/** The next connection comes after a random part of this time, so that gateways do not all come back at the same moment. */
export function longestWaitMs({ failures }: UplinkState): number {
  return Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS * 2 ** Math.min(failures, 10));
}

/** Those of the records that were not refused before. */
export function refusedAnew(state: UplinkState, records: readonly RefusedRecord[]): readonly RefusedRecord[] {
  return records.filter(({ kind, key }) => !state.refused.some((one) => one.kind === kind && one.key === key));
}
