// Manages open executions: has them delivered, records responses, lets them time out, and notifies waiting callers.
//
// Invariant: waiting callers are notified after the change is durable. The store adds the event of each change to the
// outbox.

import { createAbortWatch } from "#core/abort-watch.ts";
import type { AuditEntry } from "#core/access/audit-entry.ts";
import {
  afterAccept,
  afterChange,
  afterEvent,
  afterMessage,
  afterReturn,
  type Here,
  timeLeft,
} from "#core/command/dispatch.ts";
import type { Execution, Micros, ResponseState } from "#core/command/execution.ts";
import { hasEnded, RESPONSE_STATES } from "#core/command/execution.ts";
import { leftOutPayload, MAX_PAYLOAD_BYTES } from "#core/command/log-limits.ts";
import type { ExecutionChange, Merge } from "#core/command/remote-execution.ts";
import type { ResponseMessage } from "#core/device/device-message.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import { createByteGate } from "#core/share/byte-gate.ts";
import { instant } from "#core/time/instant.ts";
import { arrivalAt, createCommandDelivery, type DeliveryNeeds, waitingOf } from "#service/command/command-delivery.ts";
import { createDeviceReturns, type DeviceReturns } from "#service/command/device-returns.ts";
import { createDeviceTurns } from "#service/command/device-turns.ts";
import { everyOpen } from "#service/command/every-open.ts";
import { type ExecutionMessage, executionMessage, readExecutionMessage } from "#service/command/execution-messages.ts";
import { createOpenExecutions, type OpenUse } from "#service/command/open-executions.ts";
import { createDeadlines } from "#service/deadlines.ts";
import type { OpenExecution } from "#service/ports/execution-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";

export interface CommandDispatcher extends DeviceReturns {
  /** Takes over an execution that was just stored. */
  accept(open: OpenExecution): void;
  /** The execution after the response; undefined when the response did not count. */
  respond(deviceId: string, message: ResponseMessage): Promise<Execution | undefined>;
  /** Takes in a change that the owner of an execution reports. Callers that wait here for its end are woken. */
  applyRemote(change: ExecutionChange): Promise<Merge>;
  /** Ends an execution that nobody has begun to hand over. Undefined when it is too late for that. */
  cancel(execution: Pick<Execution, "id" | "deviceId">, trail: AuditEntry): Promise<Execution | undefined>;
  /** The owner of an execution cannot be asked for now. */
  loseSight(id: string): Promise<void>;
  /** An execution has changed, on this node or on another one. Also called for changes that are known here. */
  heard(execution: Execution): void;
  /** Another node says that an execution waits for its device, or has ended. */
  takeMessage(message: ExecutionMessage): void;
  /** Ends executions whose deadline passed a while ago: the node that watched them is gone. */
  endOverdue(): Promise<void>;
  /**
   * The other side says that it never accepted the execution: it is ours again, and is sent if there is still time. False
   * when the other side once had it, or it has ended.
   */
  returned(id: string): Promise<boolean>;
  /** The other side no longer knows the execution, so nobody will report its end. */
  lost(id: string, isReplaced: boolean): Promise<void>;
  /** Resolves with the execution when it has ended, or as undefined when the time is up or the signal fires. */
  waitForEnd(
    execution: Pick<Execution, "id" | "deviceId">,
    ms: number,
    signal: AbortSignal,
  ): Promise<Execution | undefined>;
  /** Takes over the executions that an earlier run left open. */
  recover(): Promise<void>;
  /** How many executions of all devices are open. */
  readonly openCount: number;
  /** How many responses did not count since the start, by state: they came too late, twice or for another device. */
  dropped(): ReadonlyMap<ResponseState, number>;
  /** Calls the listener with each execution whose end this node has stored, and the milliseconds since its creation. */
  onEnd(listener: EndListener): void;
  /** Calls the listener with each device that can be reached anew. */
  onReachable(listener: (deviceId: string) => void): void;
  /** The open executions of one site's devices. */
  openOf(siteId: string): OpenUse;
  stop(): void;
}

export interface DispatcherNeeds extends DeliveryNeeds {
  readonly nodes: Pick<Nodes, "isShared" | "broadcast">;
  readonly onDropped: (deviceId: string, message: ResponseMessage) => void;
}

type Waiter = (execution: Execution) => void;
type EndListener = (execution: Execution, ms: number) => void;

/** After a failure of the store, the next try comes after this time. */
const AGAIN_MS = 1_000;
/** So long after its deadline an execution is ended by any node. The one that watches it ends it before. */
const OVERDUE_MS = 2_000;
/**
 * A response to an execution reads and writes all of it. Few large ones are under way at once, because every other
 * change waits for those that are stored together with it.
 */
const LARGE_BYTES = 64 * 1024;
const RECORDING_BYTES = 1024 * 1024;

interface Listeners {
  readonly end: EndListener[];
  readonly reach: ((deviceId: string) => void)[];
}

export function createCommandDispatcher(needs: DispatcherNeeds): CommandDispatcher {
  const waiters = new Map<string, Set<Waiter>>();
  const listeners: Listeners = { end: [], reach: [] };
  const open = createOpenExecutions();
  const turns = createDeviceTurns(needs.background);
  const dropped = new Map<ResponseState, number>(RESPONSE_STATES.map((state) => [state, 0]));
  const aborts = createAbortWatch();
  const recording = createByteGate(needs.budgets.open("large_executions", RECORDING_BYTES));
  const delivery = createCommandDelivery(needs, { changed, isWatched: (id) => open.has(id) });
  const deadlines = createDeadlines(needs.after, (id, deadline) => {
    needs.background.run("time an execution out", async () => {
      try {
        const execution = await needs.executions.expire(id, deadline);
        if (execution !== undefined) changed(execution);
        // Deleted with its device, unless the device was heard from since.
        else if (!deadlines.has(id)) open.remove(id);
      } catch (error) {
        deadlines.set(id, deadline, AGAIN_MS);
        throw error;
      }
    });
  });

  function here({ id, deviceId }: Pick<Execution, "id" | "deviceId">): Here {
    const { isShared } = needs.nodes;
    return { isReady: () => needs.channel.isReady(deviceId), isShared, isAwaited: waiters.has(id) };
  }

  function changed(execution: Execution): void {
    for (const step of afterChange(execution, here(execution))) {
      if (step === "watch") watch(execution);
      else if (step === "close") closed(execution);
      else if (step === "ask owner") askOwner(execution);
      else if (step === "send end") sendToNodes("ended", { execution, sealed: undefined });
      else reportEnd(execution);
    }
  }

  function watch(
    execution: Execution,
    { ms = needs.responseTimeoutMs, bytes }: { readonly ms?: number; readonly bytes?: number } = {},
  ): void {
    const { id, siteId, deadline, request } = execution;
    deadlines.set(id, deadline, ms);
    open.add(id, () => ({ siteId, bytes: bytes ?? approximateBytes(request.arguments) }));
  }

  function askOwner({ id, deviceId }: Execution): void {
    needs.channel.ask?.(deviceId, id);
  }

  function sendToNodes(has: ExecutionMessage["has"], about: Pick<OpenExecution, "execution" | "sealed">): void {
    needs.nodes.broadcast(executionMessage(needs.seal, has, about));
  }

  function reportEnd(execution: Execution): void {
    const ms = Math.max(0, needs.now() - execution.createdAt);
    for (const listener of listeners.end) listener(execution, ms);
  }

  /** Nobody here has to watch it any longer. */
  function closed(execution: Execution): void {
    deadlines.clear(execution.id);
    open.remove(execution.id);
    if (hasEnded(execution.state)) for (const wake of waiters.get(execution.id) ?? []) wake(execution);
  }

  /** What the message holds need not be read. */
  function lookAtEnd(message: ExecutionMessage): void {
    const sent = readExecutionMessage(needs.seal, message)?.execution;
    if (sent !== undefined && hasEnded(sent.state)) closed(sent);
    else
      needs.background.run("look at an end", async () => {
        const execution = await needs.executions.find(message.deviceId, message.id, needs.now());
        if (execution !== undefined && hasEnded(execution.state)) closed(execution);
      });
  }

  async function record(deviceId: string, message: ResponseMessage): Promise<Execution | undefined> {
    const execution = await recordAnswer(deviceId, message);
    if (execution !== undefined) changed(execution);
    else drop(deviceId, message);
    return execution;
  }

  /** With its start, where that still waits. They take effect here in their order, whatever the order of the store's answers. */
  async function recordAnswer(deviceId: string, message: ResponseMessage): Promise<Execution | undefined> {
    const id = message.executionId;
    const waiting = delivery.takeStart(deviceId, id);
    const answer = arrivalAt(needs, message);
    if (waiting === undefined) return await needs.executions.record(deviceId, id, answer);
    if (waiting instanceof Promise)
      return (await Promise.all([needs.executions.record(deviceId, id, answer), waiting]))[0];
    try {
      const { start } = waiting;
      const { started, answered } = await needs.executions.recordStartAndAnswer(deviceId, id, { start, answer });
      if (answered === undefined && started !== undefined) changed(started);
      return answered;
    } finally {
      waiting.recorded();
    }
  }

  function drop(deviceId: string, message: ResponseMessage): void {
    dropped.set(message.state, (dropped.get(message.state) ?? 0) + 1);
    needs.onDropped(deviceId, message);
  }

  async function cancel({ id, deviceId }: Pick<Execution, "id" | "deviceId">, trail: AuditEntry) {
    const execution = await needs.executions.cancel(deviceId, id, { at: (needs.now() * 1000) as Micros, trail });
    if (execution !== undefined) changed(execution);
    return execution;
  }

  return {
    accept(accepted) {
      const { execution, attempted } = accepted;
      const waiting = waitingOf(accepted);
      for (const step of afterAccept(attempted, here(execution))) {
        if (step === "watch") watch(execution, waiting);
        else if (step === "hand over") turns.follow(execution.deviceId, () => delivery.handOver(waiting, accepted));
        else sendToNodes("waits", accepted);
      }
    },
    heard(execution) {
      for (const step of afterEvent(execution, here(execution))) {
        if (step === "close") closed(execution);
        else if (step === "take") delivery.takeUnlessSent(execution.deviceId, execution.id);
        else askOwner(execution);
      }
    },
    takeMessage(message) {
      const { has, deviceId, id } = message;
      for (const step of afterMessage(has, here(message))) {
        if (step === "take") delivery.take(deviceId, id, readExecutionMessage(needs.seal, message));
        else lookAtEnd(message);
      }
    },
    async endOverdue() {
      const dueBefore = instant(needs.now() - OVERDUE_MS);
      for await (const { id, deviceId, deadline } of everyOpen(needs.executions, { dueBefore })) {
        const execution = await needs.executions.expire(id, deadline, deviceId);
        if (execution !== undefined) changed(execution);
      }
    },
    async respond(deviceId, message) {
      const { executionId } = message;
      if (!open.has(executionId) && (await neverWas(needs, deviceId, executionId))) {
        drop(deviceId, message);
        return undefined;
      }
      const bytes = approximateBytes(message.payload);
      const kept = bytes > MAX_PAYLOAD_BYTES ? { ...message, payload: leftOutPayload(bytes) } : message;
      const size = bytes + open.bytesOf(executionId);
      if (size < LARGE_BYTES) return await record(deviceId, kept);
      const leave = await recording.enter(size);
      try {
        return await record(deviceId, kept);
      } finally {
        leave();
      }
    },
    async applyRemote(change) {
      const merge = await needs.executions.applyRemote(change);
      if (merge.kind !== "known") changed(merge.execution);
      return merge;
    },
    cancel,
    loseSight: (id) => delivery.loseSight(id),
    async lost(id, isReplaced) {
      const execution = await needs.executions.endLost(id, { at: (needs.now() * 1000) as Micros, isReplaced });
      if (execution !== undefined) changed(execution);
    },
    async returned(id) {
      const execution = await needs.executions.takeFromOwner(id);
      if (execution === undefined) return false;
      for (const step of afterReturn(here(execution))) {
        const ms = timeLeft(execution.deadline, needs.now(), needs.responseTimeoutMs);
        if (step === "watch") watch(execution, { ms });
        else void delivery.handOver(waitingOf({ execution, attempted: false, sealed: undefined }));
      }
      return true;
    },
    ...createDeviceReturns(needs, { delivery, turns, listeners: listeners.reach }),
    async waitForEnd({ id, deviceId }, ms, signal) {
      const { promise, resolve } = Promise.withResolvers<Execution | undefined>();
      const waiting = waiters.get(id) ?? new Set();
      waiters.set(id, waiting.add(resolve));
      const giveUp = () => resolve(undefined);
      const callOff = needs.after(ms, giveUp);
      const forget = aborts.on(signal, giveUp);
      try {
        if (signal.aborted) return undefined;
        // Its deadline is watched, so its end is still to come and will be announced.
        if (deadlines.has(id)) return await promise;
        // Read only now: an end before this line is seen by the read, and an end after it is announced.
        const execution = await needs.executions.find(deviceId, id, needs.now());
        return execution !== undefined && hasEnded(execution.state) ? execution : await promise;
      } finally {
        callOff();
        forget();
        waiting.delete(resolve);
        if (waiting.size === 0 && waiters.get(id) === waiting) waiters.delete(id);
      }
    },
    async recover() {
      // Where nodes share the records, other nodes watch them, and `endOverdue` finds what nobody watches.
      if (needs.nodes.isShared) return;
      const now = needs.now();
      for await (const { id, siteId, bytes, deadline } of everyOpen(needs.executions)) {
        open.add(id, () => ({ siteId, bytes }));
        deadlines.set(id, deadline, timeLeft(deadline, now, needs.responseTimeoutMs));
      }
    },
    get openCount() {
      return deadlines.count;
    },
    dropped: () => dropped,
    onEnd: (listener) => void listeners.end.push(listener),
    onReachable: (listener) => void listeners.reach.push(listener),
    openOf: (siteId) => open.of(siteId),
    stop() {
      delivery.stop();
      deadlines.stop();
    },
  };
}

/**
 * Whether the device never got such an execution. What it says about one then costs a small read instead of a write. A
 * database that nodes share is not asked: the read would take as long as the write.
 */
async function neverWas({ nodes, executions, now }: DispatcherNeeds, deviceId: string, id: string): Promise<boolean> {
  return !nodes.isShared && (await executions.find(deviceId, id, now())) === undefined;
}
