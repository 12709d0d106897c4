// Manages open executions: hands them to devices, records responses, lets them time out, and notifies waiting callers.
//
// Invariants: an execution is stored, and durably marked as attempted, before it is handed over. So a crash at any
// moment leaves it unsent or sent once, never sent twice. Waiting callers are notified after the change is durable. The
// store adds the event of each change to the outbox.

import { createAbortWatch } from "#core/abort-watch.ts";
import type { Execution, Micros, Payload, ResponseState } from "#core/command/execution.ts";
import { hasEnded, isOpen, RESPONSE_STATES } from "#core/command/execution.ts";
import { leftOutPayload, MAX_PAYLOAD_BYTES } from "#core/command/log-limits.ts";
import type { ExecutionChange, Merge } from "#core/command/remote-execution.ts";
import type { ResponseMessage } from "#core/device/device-message.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { createByteGate, type Leave } from "#core/share/byte-gate.ts";
import { instant } from "#core/time/instant.ts";
import type { Background } from "#service/background.ts";
import { everyOpen } from "#service/command/every-open.ts";
import { type CarriedArrival, createLateStarts } from "#service/command/late-starts.ts";
import { createOpenExecutions, type OpenUse } from "#service/command/open-executions.ts";
import { type After, createDeadlines } from "#service/deadlines.ts";
import type { CommandChannel, HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { OpenExecution, WaitingExecution } from "#service/ports/execution-store.ts";
import type { NodeMessage, Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

export interface CommandDispatcher {
  /** Takes over an execution that was just stored. */
  accept(open: OpenExecution): void;
  /** The execution after the response; undefined when the response did not count. */
  respond(deviceId: string, message: ResponseMessage): Promise<Execution | undefined>;
  /** Takes in a change that the owner of an execution tells. Callers that wait here for its end are woken. */
  applyRemote(change: ExecutionChange): Promise<Merge>;
  /** The owner of an execution cannot be asked for now. */
  loseSight(id: string): Promise<void>;
  /** An execution has changed, on this node or on another one. Also called for changes that are known here. */
  heard(execution: Execution): void;
  /** Another node says that an execution waits for its device, or has ended. */
  told(message: Extract<NodeMessage, { readonly kind: "execution" }>): void;
  /** Ends executions whose deadline passed a while ago: the node that watched them is gone. */
  endOverdue(): Promise<void>;
  /**
   * The other side says that it never accepted the execution: it is ours again, and is sent if there is still time. False
   * when the other side once had it, or it has ended.
   */
  returned(id: string): Promise<boolean>;
  /** The other side no longer knows the execution, so nobody will tell its end. */
  lost(id: string): Promise<void>;
  /** Hands over everything that waits for the device. */
  deviceReachable(deviceId: string): void;
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
  /** The open executions of one site's devices. */
  openOf(siteId: string): OpenUse;
  stop(): void;
}

export interface DispatcherNeeds extends Pick<Needs, "executions" | "seal" | "now"> {
  readonly channel: CommandChannel;
  readonly nodes: Pick<Nodes, "isShared" | "tell">;
  readonly background: Background;
  readonly budgets: Pick<ByteBudgets, "open">;
  readonly after: After;
  /** Without a response for this long an execution becomes TIMEOUT. */
  readonly responseTimeoutMs: number;
  readonly onDropped: (deviceId: string, message: ResponseMessage) => void;
}

type Waiter = (execution: Execution) => void;
type EndListener = (execution: Execution, ms: number) => void;

/** After a failure of the store or the channel, the next try comes after this time. */
const AGAIN_MS = 1_000;
/** So long after its deadline an execution is ended by any node. The one that watches it ends it before. */
const OVERDUE_MS = 2_000;
/** Bytes that the arguments of commands may hold while they are being handed over. */
const SENDING_BYTES = 16 * 1024 * 1024;
/**
 * A response to an execution reads and writes all of it. Few large ones are under way at once, because every other
 * change waits for those that are stored together with it.
 */
const LARGE_BYTES = 64 * 1024;
const RECORDING_BYTES = 1024 * 1024;

/** The final message of a command that was not sent because its arguments are lost. */
const UNREADABLE = "the stored arguments cannot be read; the command was not sent";
/** The message of an execution while it is unknown whether the device got the command. */
const MAYBE_SENT = "it is not known whether the command reached the device; it is not sent again";

export function createCommandDispatcher(needs: DispatcherNeeds): CommandDispatcher {
  const waiters = new Map<string, Set<Waiter>>();
  const retries = new Set<() => void>();
  const endListeners: EndListener[] = [];
  /** Executions of other nodes that are being handed over here. */
  const taking = new Set<string>();
  const open = createOpenExecutions();
  const dropped = new Map<ResponseState, number>(RESPONSE_STATES.map((state) => [state, 0]));
  const aborts = createAbortWatch();
  const recording = createByteGate(needs.budgets.open("large_executions", RECORDING_BYTES));
  const sending = createByteGate(needs.budgets.open("commands_being_sent", SENDING_BYTES));
  const starts = createLateStarts(needs.after, (deviceId, id, start) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    needs.background.run("record the start of an execution", async () => {
      try {
        const execution = await needs.executions.record(deviceId, id, start);
        if (execution !== undefined) changed(execution);
      } finally {
        resolve();
      }
    });
    return promise;
  });
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

  function changed(execution: Execution): void {
    const { id, deviceId } = execution;
    if (isOpen(execution.state) && !execution.isRemote) {
      deadlines.set(id, execution.deadline, needs.responseTimeoutMs);
      open.add(id, () => countedOf(execution));
    } else closed(execution);
    askOwner(execution);
    if (!hasEnded(execution.state)) return;
    needs.nodes.tell({ kind: "execution", has: "ended", deviceId, id });
    const ms = Math.max(0, needs.now() - execution.createdAt);
    for (const listener of endListeners) listener(execution, ms);
  }

  /** What is unknown while its owner can be asked need not stay unknown. */
  function askOwner({ id, deviceId, state }: Execution): void {
    if (state === "UNSYNC" && needs.channel.isReady(deviceId)) needs.channel.ask?.(deviceId, id);
  }

  /** Nobody here has to watch it any longer. */
  function closed(execution: Execution): void {
    deadlines.clear(execution.id);
    open.remove(execution.id);
    if (hasEnded(execution.state)) for (const tell of waiters.get(execution.id) ?? []) tell(execution);
  }

  /** Hands over an execution that another node stored. The mark decides which node sends it, and that one does. */
  function takeWaiting(deviceId: string, id: string): void {
    if (open.has(id) || taking.has(id) || !needs.channel.isReady(deviceId)) return;
    taking.add(id);
    needs.background.run("hand over a command of another node", async () => {
      try {
        const [isMine, sent] = await Promise.all([
          needs.executions.markAttempted(id, deviceId),
          needs.executions.toSend(id, deviceId),
        ]);
        if (isMine && sent !== undefined) await handOver({ ...waitingOf(sent), attempted: true }, sent);
      } catch (error) {
        // If the command was sent, its mark stops the second try.
        tryAgain("hand over a command of another node again", async () => takeWaiting(deviceId, id));
        throw error;
      } finally {
        taking.delete(id);
      }
    });
  }

  /** The event of a new execution comes to every node, most often after the execution was sent. */
  function takeUnlessSent(deviceId: string, id: string): void {
    if (open.has(id) || taking.has(id) || !needs.channel.isReady(deviceId)) return;
    needs.background.run("look at a command of another node", async () => {
      const waiting = await needs.executions.toSend(id, deviceId);
      if (waiting?.attempted === false) takeWaiting(deviceId, id);
    });
  }

  async function lookAtEnd(deviceId: string, id: string): Promise<void> {
    const execution = await needs.executions.find(deviceId, id, needs.now());
    if (execution !== undefined && hasEnded(execution.state)) closed(execution);
  }

  function arrivalNow({ state, payload, repeated }: Omit<CarriedArrival, "at" | "patienceMs">): CarriedArrival {
    const at = (needs.now() * 1000) as Micros;
    return { state, payload, at, patienceMs: needs.responseTimeoutMs, repeated };
  }

  /**
   * `waiting.attempted` means that this call may hand it over. A call that has to wait for room holds no arguments
   * meanwhile: they are read when they are sent.
   */
  function handOver(waiting: WaitingExecution, known?: OpenExecution): Promise<void> {
    const turn = sending.enter(waiting.bytes);
    return turn instanceof Promise
      ? turn.then((leave) => sendAndLeave(waiting, leave))
      : sendAndLeave(waiting, turn, known);
  }

  async function sendAndLeave(waiting: WaitingExecution, leave: Leave, known?: OpenExecution): Promise<void> {
    try {
      await send(waiting, known);
    } finally {
      leave();
    }
  }

  async function send(waiting: WaitingExecution, known?: OpenExecution): Promise<void> {
    const { id, deviceId, deadline } = waiting;
    if (!waiting.attempted && !(await needs.executions.markAttempted(id, deviceId))) return;
    // An expired command is never started. Its timer is due, or will be soon if the clock was set forward.
    if (deadline <= needs.now()) return await needs.executions.unmarkAttempted(id);
    const sent = known ?? (await needs.executions.toSend(id, deviceId));
    if (sent === undefined) return;
    const { request } = sent.execution;
    const clear = clearArguments(sent);
    if (clear === undefined) return await recordOwn(waiting, "ERROR", UNREADABLE);
    const command = { id, name: request.manifestName, arguments: clear };
    const outcome = await handOverNow(sent.execution, command);
    if (typeof outcome === "object") return await refused(waiting, outcome.refused);
    switch (outcome) {
      case "handed_over":
        return starts.note(waiting, arrivalNow({ state: "STARTED", payload: undefined, repeated: false }));
      case "not_sent":
        return await removeMark(waiting);
      case "unknown":
        return await recordOwn(waiting, "IN_PROGRESS", MAYBE_SENT);
      case "accepted":
        await giveToOwner(id, true);
        // The way to the owner may be gone already, and whoever noticed that did not see this execution.
        if (!needs.channel.isReady(waiting.deviceId)) await loseSight(id);
        return;
      case "unanswered":
        return await giveToOwner(id, false);
    }
  }

  async function giveToOwner(id: string, isAnswered: boolean): Promise<void> {
    const execution = await needs.executions.giveToOwner(id, isAnswered);
    if (execution !== undefined) changed(execution);
  }

  async function loseSight(id: string): Promise<void> {
    const execution = await needs.executions.loseSight(id);
    if (execution !== undefined) changed(execution);
  }

  /** The other side has not accepted it. Its time may be over here, and then it was taken for accepted. */
  async function refused(waiting: WaitingExecution, message: string): Promise<void> {
    await needs.executions.takeFromOwner(waiting.id);
    await recordOwn(waiting, "ERROR", message);
  }

  async function handOverNow(execution: Execution, command: OutgoingCommand): Promise<HandOver> {
    try {
      return await needs.channel.send(execution.deviceId, command, execution);
    } catch (error) {
      needs.background.run("hand a command over", async () => {
        throw error;
      });
      return "unknown";
    }
  }

  /** Records a response that does not come from the device: what this side knows of the execution. */
  async function recordOwn(waiting: WaitingExecution, state: "IN_PROGRESS" | "ERROR", message: string): Promise<void> {
    const arrival = arrivalNow({ state, payload: { message }, repeated: false });
    const execution = await needs.executions.record(waiting.deviceId, waiting.id, arrival);
    if (execution !== undefined) changed(execution);
  }

  /** Undefined when the arguments are lost. */
  function clearArguments({ execution, sealed, isUnreadable }: OpenExecution): Payload | undefined {
    if (isUnreadable === true) return undefined;
    if (sealed === undefined) return execution.request.arguments;
    try {
      return JSON.parse(needs.seal.open(sealed, execution.id)) as Payload;
    } catch {
      return undefined;
    }
  }

  /** The command certainly was not sent, so it may be handed over when the device is back. */
  async function removeMark(waiting: WaitingExecution): Promise<void> {
    const { id, deviceId } = waiting;
    try {
      await needs.executions.unmarkAttempted(id);
    } catch (error) {
      // A command that is marked but not sent would never be handed over, and only this call knows that it may be.
      tryAgain("remove the mark of an attempt", () => removeMark(waiting));
      throw error;
    }
    // The device is already back. It returned before the mark was removed, so nobody else hands the command over.
    if (needs.channel.isReady(deviceId)) handOverLater(waiting);
    // Or at another node, which does not look at what is marked.
    else needs.nodes.tell({ kind: "execution", has: "waits", deviceId, id });
  }

  function handOverSoon(waiting: WaitingExecution, known?: OpenExecution): void {
    const handed = handOver(waiting, known);
    needs.background.run("hand a command over", async () => {
      try {
        await handed;
      } catch (error) {
        // Nobody else would try again once the disk works. If the command was sent, its mark stops the second try.
        handOverLater(waiting);
        throw error;
      }
    });
  }

  function handOverLater(waiting: WaitingExecution): void {
    tryAgain("hand a command over again", async () => {
      if (needs.channel.isReady(waiting.deviceId)) handOverSoon({ ...waiting, attempted: false });
    });
  }

  function tryAgain(name: string, task: () => Promise<void>): void {
    const callOff = needs.after(AGAIN_MS, () => {
      retries.delete(callOff);
      needs.background.run(name, task);
    });
    retries.add(callOff);
  }

  async function record(deviceId: string, message: ResponseMessage): Promise<Execution | undefined> {
    // Both are stored in the same turn, so they share a commit. They take effect here in this order, whatever the order
    // of the store's answers.
    const started = starts.recordNow(deviceId, message.executionId);
    const recorded = needs.executions.record(deviceId, message.executionId, arrivalNow(message));
    const [execution] = await Promise.all([recorded, started]);
    if (execution !== undefined) changed(execution);
    else {
      dropped.set(message.state, (dropped.get(message.state) ?? 0) + 1);
      needs.onDropped(deviceId, message);
    }
    return execution;
  }

  return {
    accept(accepted) {
      const { execution, attempted } = accepted;
      const waiting = waitingOf(accepted);
      deadlines.set(execution.id, execution.deadline, needs.responseTimeoutMs);
      open.add(execution.id, () => ({ siteId: waiting.siteId, bytes: waiting.bytes }));
      if (attempted || needs.channel.isReady(execution.deviceId)) handOverSoon(waiting, accepted);
      else needs.nodes.tell({ kind: "execution", has: "waits", deviceId: execution.deviceId, id: execution.id });
    },
    heard(execution) {
      const { id, deviceId, state } = execution;
      if (hasEnded(state)) closed(execution);
      else if (state === "NEW") takeUnlessSent(deviceId, id);
      else askOwner(execution);
    },
    told({ has, deviceId, id }) {
      if (has === "waits") takeWaiting(deviceId, id);
      else if (waiters.has(id)) needs.background.run("look at an end", () => lookAtEnd(deviceId, id));
    },
    async endOverdue() {
      const dueBefore = instant(needs.now() - OVERDUE_MS);
      for await (const { id, deadline } of everyOpen(needs.executions, { dueBefore })) {
        const execution = await needs.executions.expire(id, deadline);
        if (execution !== undefined) changed(execution);
      }
    },
    async respond(deviceId, message) {
      const bytes = approximateBytes(message.payload);
      const kept = bytes > MAX_PAYLOAD_BYTES ? { ...message, payload: leftOutPayload(bytes) } : message;
      const size = bytes + open.bytesOf(message.executionId);
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
    loseSight,
    async lost(id) {
      const execution = await needs.executions.endLost(id, (needs.now() * 1000) as Micros);
      if (execution !== undefined) changed(execution);
    },
    async returned(id) {
      const execution = await needs.executions.takeFromOwner(id);
      if (execution === undefined) return false;
      open.add(id, () => countedOf(execution));
      const left = Math.min(Math.max(execution.deadline - needs.now(), 0), needs.responseTimeoutMs);
      deadlines.set(id, execution.deadline, left);
      if (needs.channel.isReady(execution.deviceId)) {
        handOverSoon(waitingOf({ execution, attempted: false, sealed: undefined }));
      }
      return true;
    },
    deviceReachable(deviceId) {
      needs.background.run("hand over what waits for a device", async () => {
        // All at once: the marks share a commit, and the store answers in order, so the commands leave in order.
        for await (const waiting of everyOpen(needs.executions, { deviceId })) {
          if (!waiting.attempted) handOverSoon(waiting);
        }
      });
    },
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
        // Whatever the clock did meanwhile, nobody waits longer than the whole time once more.
        const left = Math.min(Math.max(deadline - now, 0), needs.responseTimeoutMs);
        deadlines.set(id, deadline, left);
      }
    },
    get openCount() {
      return deadlines.count;
    },
    dropped: () => dropped,
    onEnd: (listener) => void endListeners.push(listener),
    openOf: (siteId) => open.of(siteId),
    stop() {
      starts.stop();
      deadlines.stop();
      for (const callOff of retries) callOff();
    },
  };
}

function waitingOf({ execution, attempted, sealed }: OpenExecution): WaitingExecution {
  const { id, deviceId, siteId, createdAt, deadline, request } = execution;
  const bytes = approximateBytes(request.arguments) + (sealed?.byteLength ?? 0);
  return { id, deviceId, siteId, createdAt, deadline, attempted, bytes };
}

function countedOf({ siteId, request }: Execution): { readonly siteId: string; readonly bytes: number } {
  return { siteId, bytes: approximateBytes(request.arguments) };
}
