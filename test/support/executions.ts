// Executions to store in tests.
import type { Arrival, Execution, Micros, ResponseState } from "#core/command/execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { instant } from "#core/time/instant.ts";
import type { ExecutionFilter, Idempotency, NewExecution } from "#service/ports/execution-store.ts";
import { NOON, newId } from "./records.ts";

export interface Place {
  readonly siteId: string;
  readonly deviceId: string;
}

/** How long every test execution waits for its device. */
export const PATIENCE_MS = 30_000;

/** A new execution; `after` is its creation in milliseconds after noon. */
export function makeExecution(place: Place, { after = 0, ...fields }: Partial<Execution> & { after?: number } = {}) {
  const createdAt = instant(NOON + after);
  const execution: Execution = {
    id: newId(),
    siteId: place.siteId,
    deviceId: place.deviceId,
    state: "NEW",
    ephemeral: false,
    createdAt,
    request: { name: "start", manifestName: "start", arguments: {} },
    response: undefined,
    readLevel: "user",
    deadline: instant(createdAt + PATIENCE_MS),
    revision: 1,
    isRemote: false,
    ...fields,
  };
  return execution;
}

export function asNew(execution: Execution, fields: Partial<NewExecution> = {}): NewExecution {
  return {
    execution,
    sealed: undefined,
    attempted: false,
    idempotency: undefined,
    maxOpen: 1_000,
    maxOpenBytes: 1e9,
    ...fields,
  };
}

/** A key as one caller sends it; the letter of the body stands for its digest. */
export function makeKey(execution: Execution, key: string, { tokenId = "t1", body = "a" } = {}): Idempotency {
  return {
    tokenId,
    key,
    requestDigest: new Uint8Array(32).fill(body.charCodeAt(0)),
    expiresAt: instant(execution.createdAt + EPHEMERAL_LIFETIME_MS),
  };
}

/** A response that comes so many milliseconds after noon. */
export function arrival(
  state: ResponseState,
  {
    after = 1_000,
    repeated = false,
    payload,
  }: { after?: number; repeated?: boolean; payload?: Arrival["payload"] } = {},
): Arrival & { readonly repeated: boolean } {
  const at = ((NOON + after) * 1000) as Micros;
  return { state, payload, at, patienceMs: PATIENCE_MS, repeated };
}

/** Sees everything, at noon. */
export const EVERYTHING: ExecutionFilter = {
  scope: "all",
  level: "system",
  retention: "ALL",
  newestFirst: false,
  now: NOON,
};
