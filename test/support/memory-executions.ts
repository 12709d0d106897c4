// Executions in memory, as simple as possible. It passes the contract of the store, so it can replace one: as the
// reference in the model-based test, and as the store under simulated time.
import { allows } from "#core/access/level.ts";
import { refuse } from "#core/app-error.ts";
import {
  type CommandResponse,
  type Execution,
  hasEnded,
  isFinal,
  isOpen,
  type Micros,
  type Payload,
  withCancel,
  withResponse,
  withTimeout,
} from "#core/command/execution.ts";
import { ENTRY_BYTES, leftOutEntry, MAX_LOG_BYTES } from "#core/command/log-limits.ts";
import {
  type ExecutionChange,
  givenToOwner,
  lostByOwner,
  mergeRemote,
  returnedByOwner,
  withoutSight,
} from "#core/command/remote-execution.ts";
import { EPHEMERAL_LIFETIME_MS } from "#core/command/retention.ts";
import { executionEvent } from "#core/event/event.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import type { ExecutionFilter, ExecutionStore, Idempotency, NewExecution } from "#service/ports/execution-store.ts";
import type { MemoryOutbox } from "./memory-outbox.ts";

interface Kept {
  execution: Execution;
  sealed: Uint8Array | undefined;
  attempted: boolean;
  log: readonly CommandResponse[];
  gap: { readonly count: number; readonly at: Micros } | undefined;
  /** The number of its latest change, and of that of each response. */
  changed: number;
  responseChanges: ReadonlyMap<Micros, { readonly changed: number; readonly revision: number }>;
}

interface UsedKey extends Idempotency {
  readonly deviceId: string;
  readonly executionId: string;
}

/** `outbox` gets the event of each change. */
type Earlier = Pick<NewExecution, "idempotency"> & {
  readonly execution: Pick<Execution, "deviceId" | "createdAt">;
};

export function createMemoryExecutions(outbox: Pick<MemoryOutbox, "add"> = { add: () => {} }): ExecutionStore {
  const kept = new Map<string, Kept>();
  let keys: readonly UsedKey[] = [];
  let latest = 0;

  const all = () => [...kept.values()];
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

  function findEarlier({ execution, idempotency }: Earlier): Execution | undefined {
    const used = keys.find(
      (one) =>
        one.deviceId === execution.deviceId && one.tokenId === idempotency?.tokenId && one.key === idempotency.key,
    );
    if (used === undefined || idempotency === undefined || used.expiresAt <= execution.createdAt) return undefined;
    if (!Buffer.from(used.requestDigest).equals(idempotency.requestDigest))
      throw refuse("idempotency_conflict", "used");
    return kept.get(used.executionId)?.execution;
  }

  function replace(one: Kept, execution: Execution): Execution {
    one.execution = execution;
    one.changed = ++latest;
    if (hasEnded(execution.state)) one.sealed = undefined;
    outbox.add(executionEvent(execution));
    return execution;
  }

  function number(one: Kept, responses: readonly CommandResponse[]): void {
    const { revision } = one.execution;
    const added = responses.map(({ receivedAt }) => [receivedAt, { changed: one.changed, revision }] as const);
    one.responseChanges = new Map([...added, ...one.responseChanges]);
  }

  function changeOf(one: Kept, cursor: number): ExecutionChange {
    const isNew = ({ receivedAt }: CommandResponse) => (one.responseChanges.get(receivedAt)?.changed ?? 0) > cursor;
    const earlier = one.log.filter((response) => !isNew(response));
    return {
      execution: one.execution,
      responses: one.log.filter(isNew).toSorted((a, b) => a.receivedAt - b.receivedAt),
      since: Math.max(0, ...earlier.map(({ receivedAt }) => one.responseChanges.get(receivedAt)?.revision ?? 0)),
      leftOut: one.gap,
    };
  }

  function bytesOfChange({ execution, responses }: ExecutionChange): number {
    const log = responses.reduce((sum, { payload }) => sum + entryBytes(payload), 0);
    return Buffer.byteLength(JSON.stringify(execution.request.arguments)) + log;
  }

  return {
    earlier: async (execution, idempotency) => findEarlier({ execution, idempotency }),
    async insert(input) {
      const { execution, idempotency } = input;
      const earlier = findEarlier(input);
      if (earlier !== undefined) return { execution: earlier, isNew: false };
      const open = all().filter((one) => one.execution.deviceId === execution.deviceId && isWaiting(one.execution));
      if (open.length >= input.maxOpen) throw refuse("queue_full", "full");
      const bytes = [input, ...open].reduce((sum, one) => sum + bytesOf(one), 0);
      if (bytes > input.maxOpenBytes) throw refuse("queue_full", "full");
      const { sealed, attempted } = input;
      const fresh = { log: [], gap: undefined, changed: ++latest, responseChanges: new Map() };
      kept.set(execution.id, { execution, sealed, attempted, ...fresh });
      outbox.add(executionEvent(execution));
      if (idempotency !== undefined) {
        const { deviceId } = execution;
        const others = keys.filter(
          ({ deviceId: device, tokenId, key }) =>
            device !== deviceId || tokenId !== idempotency.tokenId || key !== idempotency.key,
        );
        keys = [...others, { ...idempotency, deviceId, executionId: execution.id }];
      }
      return { execution, isNew: true };
    },
    async find(deviceId, id, now) {
      const execution = kept.get(id)?.execution;
      return execution?.deviceId === deviceId && isAlive(execution, now) ? execution : undefined;
    },
    async responses(id) {
      const { log = [], gap } = kept.get(id) ?? {};
      const entries = gap === undefined ? log : [...log, leftOutEntry(gap.count, gap.at)];
      return entries.toSorted((a, b) => b.receivedAt - a.receivedAt);
    },
    async list(filter, { limit, offset }) {
      const sign = filter.newestFirst ? -1 : 1;
      const found = all()
        .map((one) => one.execution)
        .filter((execution) => matches(filter, execution))
        .sort((a, b) => sign * (a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)));
      return { items: found.slice(offset, offset + limit), total: found.length };
    },
    async markAttempted(id) {
      const one = kept.get(id);
      if (one === undefined || one.attempted || !isWaiting(one.execution)) return false;
      one.attempted = true;
      return true;
    },
    async unmarkAttempted(id) {
      const one = kept.get(id);
      if (one !== undefined && isWaiting(one.execution) && one.execution.response === undefined) {
        one.attempted = false;
      }
    },
    async record(deviceId, id, arrival) {
      const one = kept.get(id);
      if (one?.execution.deviceId !== deviceId) return undefined;
      const isKnown = one.log.some(({ state, payload }) => state === arrival.state && same(payload, arrival.payload));
      if (arrival.repeated && isKnown) return undefined;
      const after = withResponse(one.execution, arrival);
      if (after?.response === undefined) return undefined;
      one.log = [...one.log, after.response];
      while (one.log.reduce((sum, { payload }) => sum + entryBytes(payload), 0) > MAX_LOG_BYTES) {
        const middle = one.log.slice(0, -1).find(({ state }) => state === "IN_PROGRESS");
        if (middle === undefined) break;
        one.log = one.log.filter((entry) => entry !== middle);
        one.gap = { count: (one.gap?.count ?? 0) + 1, at: middle.receivedAt };
      }
      replace(one, after);
      number(one, [after.response]);
      return after;
    },
    async recordStartAndAnswer(deviceId, id, { start, answer }) {
      const started = await this.record(deviceId, id, { ...start, repeated: false });
      return { started, answered: await this.record(deviceId, id, answer) };
    },
    async expire(id, deadline) {
      const one = kept.get(id);
      if (one?.execution.deadline !== deadline) return undefined;
      const after = withTimeout(one.execution);
      return after && replace(one, after);
    },
    async cancel(deviceId, id, { at }) {
      const one = kept.get(id);
      const after = one?.execution.deviceId === deviceId ? withCancel(one.execution, { ...one, at }) : undefined;
      if (one === undefined || after === undefined) return undefined;
      one.log = [...one.log, after.response];
      replace(one, after);
      number(one, [after.response]);
      return after;
    },
    async open({ deviceId, dueBefore = instant(Number.MAX_SAFE_INTEGER), after, limit }) {
      return all()
        .filter(({ execution }) => isWaiting(execution) && (deviceId ?? execution.deviceId) === execution.deviceId)
        .filter(({ execution }) => execution.deadline <= dueBefore)
        .map((one) => ({ ...one, ...one.execution, bytes: bytesOf(one) }))
        .sort(compareWaiting)
        .filter((one) => after === undefined || compareWaiting(after, one) < 0)
        .slice(0, limit)
        .map(({ id, deviceId: device, siteId, createdAt, deadline, attempted, bytes }) => ({
          id,
          deviceId: device,
          siteId,
          createdAt,
          deadline,
          attempted,
          bytes,
        }));
    },
    async devicesWaiting(deviceIds) {
      const waiting = all().filter(({ execution, attempted }) => isOpen(execution.state) && !attempted);
      const devices = new Set(waiting.map(({ execution }) => execution.deviceId));
      return new Set(deviceIds.filter((id) => devices.has(id)));
    },
    async toSend(id) {
      const one = kept.get(id);
      if (one === undefined || !isWaiting(one.execution)) return undefined;
      return { execution: one.execution, attempted: one.attempted, sealed: one.sealed };
    },
    async changesAfter(cursor, limit) {
      const changes: ExecutionChange[] = [];
      let next = cursor;
      let bytes = 0;
      for (const one of all().toSorted((a, b) => a.changed - b.changed)) {
        if (one.changed <= cursor || changes.length >= limit || bytes >= PAGE_BYTES) continue;
        const change = changeOf(one, cursor);
        changes.push(change);
        bytes += bytesOfChange(change);
        next = one.changed;
      }
      return { changes, next, latest };
    },
    async applyRemote(change) {
      const before = kept.get(change.execution.id);
      if (before !== undefined && before.execution.deviceId !== change.execution.deviceId) throw refuse("conflict", "");
      const merge = mergeRemote(before?.execution, change);
      if (merge.kind === "known" || merge.execution === before?.execution) return merge;
      const one = before ?? { ...BLANK, execution: merge.execution };
      if (!one.execution.isRemote) one.log = [];
      replace(one, merge.execution);
      kept.set(merge.execution.id, one);
      if (merge.kind === "gap") return merge;
      const { responses, leftOut } = change;
      const news = responses.filter(
        (response) => !one.log.some(({ receivedAt }) => receivedAt === response.receivedAt),
      );
      number(one, news);
      one.gap = leftOut;
      one.log = [...one.log, ...news].filter(
        ({ state, receivedAt }) => state !== "IN_PROGRESS" || receivedAt > (leftOut?.at ?? 0),
      );
      return merge;
    },
    async giveToOwner(id, isAnswered) {
      const one = kept.get(id);
      const after = one && givenToOwner(one.execution, isAnswered);
      return one && after && replace(one, after);
    },
    async endLost(id, loss) {
      const one = kept.get(id);
      const after = one && lostByOwner(one.execution, loss);
      if (one === undefined || after === undefined) return undefined;
      one.log = [...one.log, after.response];
      replace(one, after);
      number(one, [after.response]);
      return after;
    },
    async forgetRevisions(siteId) {
      for (const one of all()) {
        if (one.execution.siteId !== siteId || !one.execution.isRemote || isFinal(one.execution.state)) continue;
        one.execution = { ...one.execution, revision: 0 };
      }
    },
    async takeFromOwner(id) {
      const one = kept.get(id);
      const after = one && returnedByOwner(one.execution);
      if (one === undefined || after === undefined) return undefined;
      one.attempted = false;
      return replace(one, after);
    },
    async ownedElsewhere(siteId, after, limit) {
      return all()
        .filter(
          ({ execution, attempted }) =>
            execution.siteId === siteId && (attempted || execution.isRemote) && !hasEnded(execution.state),
        )
        .map(({ execution }) => execution)
        .filter(({ id }) => id > after)
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit);
    },
    async whole(id) {
      const one = kept.get(id);
      return one && changeOf(one, 0);
    },
    async loseSight(id) {
      const one = kept.get(id);
      const after = one && withoutSight(one.execution, one.attempted);
      return one && after && replace(one, after);
    },
    async sweep(now) {
      const dead = all().filter(({ execution }) => !isAlive(execution, now));
      for (const { execution } of dead) kept.delete(execution.id);
      const before = keys.length;
      keys = keys.filter((one) => one.expiresAt > now);
      return dead.length + before - keys.length;
    },
  };
}

const PAGE_BYTES = 1_048_576;
const BLANK = { sealed: undefined, attempted: true, log: [], gap: undefined, changed: 0, responseChanges: new Map() };

/** Whether this side waits for the device. */
const isWaiting = ({ state, isRemote }: Execution) => isOpen(state) && !isRemote;

const entryBytes = (payload: Payload | undefined) =>
  ENTRY_BYTES + (payload === undefined ? 0 : Buffer.byteLength(JSON.stringify(payload)));

function bytesOf({ execution, sealed }: Pick<Kept, "execution" | "sealed">): number {
  return Buffer.byteLength(JSON.stringify(execution.request.arguments)) + (sealed?.byteLength ?? 0);
}

function compareWaiting(a: WaitingPlace, b: WaitingPlace): number {
  if (a.deviceId !== b.deviceId) return a.deviceId < b.deviceId ? -1 : 1;
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

type WaitingPlace = Pick<Execution, "id" | "deviceId" | "createdAt">;

function isAlive({ ephemeral, createdAt }: Execution, now: Instant): boolean {
  return !ephemeral || now < createdAt + EPHEMERAL_LIFETIME_MS;
}

function matches(filter: ExecutionFilter, execution: Execution): boolean {
  const { name, manifestName } = execution.request;
  return (
    (filter.scope === "all" || filter.scope.has(execution.siteId)) &&
    allows(filter.level, execution.readLevel) &&
    (filter.siteId ?? execution.siteId) === execution.siteId &&
    (filter.deviceIds?.includes(execution.deviceId) ?? true) &&
    (filter.names === undefined || filter.names.includes(name) || filter.names.includes(manifestName)) &&
    (filter.states?.includes(execution.state) ?? true) &&
    (filter.retention === "ALL" || (filter.retention === "EPHEMERAL") === execution.ephemeral) &&
    execution.createdAt >= (filter.since ?? Number.NEGATIVE_INFINITY) &&
    execution.createdAt < (filter.before ?? Number.POSITIVE_INFINITY) &&
    isAlive(execution, filter.now)
  );
}
