// Hands commands over to devices, each at most once.
//
// Invariant: an execution is stored, and durably marked as attempted, before it is handed over. So a crash at any moment
// leaves it unsent or sent once, never sent twice.
import type { Execution, Micros, Payload } from "#core/command/execution.ts";
import { approximateBytes } from "#core/share/approximate-bytes.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { createByteGate, type Leave } from "#core/share/byte-gate.ts";
import type { Background } from "#service/background.ts";
import { type CarriedArrival, createLateStarts, type LateStarts } from "#service/command/late-starts.ts";
import type { After } from "#service/deadlines.ts";
import type { CommandChannel, HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { OpenExecution, WaitingExecution } from "#service/ports/execution-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";

export interface CommandDelivery {
  /**
   * Hands the command over, again after a failure. `waiting.attempted` means that this call may do so; else it has to get
   * the mark first. Resolves when the command has left, or does not leave now.
   */
  handOver(waiting: WaitingExecution, known?: OpenExecution): Promise<void>;
  /**
   * Hands over an execution that another node stored. The mark decides which node sends it, and that one does. What that node
   * sent of it (`known`) need not be read.
   */
  take(deviceId: string, id: string, known?: OpenExecution): void;
  /** The same, for an execution that was most often sent already. */
  takeUnlessSent(deviceId: string, id: string): void;
  /** The owner of an execution cannot be asked for now. */
  loseSight(id: string): Promise<void>;
  readonly takeStart: LateStarts["take"];
  stop(): void;
}

export interface DeliveryNeeds extends Pick<Needs, "executions" | "seal" | "now"> {
  readonly channel: CommandChannel;
  readonly nodes: Pick<Nodes, "broadcast">;
  readonly background: Background;
  readonly budgets: Pick<ByteBudgets, "open">;
  readonly after: After;
  /** Without a response for this long an execution becomes TIMEOUT. */
  readonly responseTimeoutMs: number;
}

export interface DeliveryWatch {
  /** An execution has changed, and the change is durable. */
  changed(execution: Execution): void;
  /** Whether this node has handed it over, or will. */
  isWatched(id: string): boolean;
}

/** After a failure of the store or the channel, the next try comes after this time. */
const AGAIN_MS = 1_000;
/** Bytes that the arguments of commands may hold while they are being handed over. */
const SENDING_BYTES = 16 * 1024 * 1024;

/** How many executions a node remembers that it has handed over. */
const HANDED_OVER = 1_000;

/** The final message of a command that was not sent because its arguments are lost. */
const UNREADABLE = "the stored arguments cannot be read; the command was not sent";
/** The message of an execution while it is unknown whether the device got the command. */
const MAYBE_SENT = "it is not known whether the command reached the device; it is not sent again";

interface Sending {
  /** Gives back the room for its arguments. */
  readonly leave: Leave;
  readonly hasLeft: () => void;
  readonly known?: OpenExecution | undefined;
}

export function createCommandDelivery(needs: DeliveryNeeds, watch: DeliveryWatch): CommandDelivery {
  const retries = new Set<() => void>();
  /** Executions of other nodes that are being handed over here. */
  const taking = new Set<string>();
  /** The latest executions that were handed over here: the events of their creation, which come later, need no look. */
  const handed = new Set<string>();
  const sending = createByteGate(needs.budgets.open("commands_being_sent", SENDING_BYTES));
  const starts = createLateStarts(needs.after, (deviceId, id, start) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    needs.background.run("record the start of an execution", async () => {
      try {
        const execution = await needs.executions.record(deviceId, id, start);
        if (execution !== undefined) watch.changed(execution);
      } finally {
        resolve();
      }
    });
    return promise;
  });

  /** Hands over an execution that another node stored. The mark decides which node sends it, and that one does. */
  function take(deviceId: string, id: string, known?: OpenExecution): void {
    if (watch.isWatched(id) || taking.has(id) || !needs.channel.isReady(deviceId)) return;
    taking.add(id);
    needs.background.run("hand over a command of another node", async () => {
      try {
        const [isMine, sent] = await Promise.all([
          needs.executions.markAttempted(id, deviceId),
          known ?? needs.executions.toSend(id, deviceId),
        ]);
        if (isMine && sent !== undefined) await deliver({ ...waitingOf(sent), attempted: true }, () => {}, sent);
      } catch (error) {
        // If the command was sent, its mark stops the second try.
        tryAgain("hand over a command of another node again", async () => take(deviceId, id));
        throw error;
      } finally {
        taking.delete(id);
      }
    });
  }

  /** The event of a new execution comes to every node, most often after the execution was sent. */
  function takeUnlessSent(deviceId: string, id: string): void {
    if (watch.isWatched(id) || taking.has(id) || handed.has(id) || !needs.channel.isReady(deviceId)) return;
    needs.background.run("look at a command of another node", async () => {
      const waiting = await needs.executions.toSend(id, deviceId);
      if (waiting?.attempted === false && waiting.execution.deadline > needs.now()) take(deviceId, id);
    });
  }

  /**
   * `waiting.attempted` means that this call may hand it over. A call that has to wait for room holds no arguments
   * meanwhile: they are read when they are sent.
   */
  function deliver(waiting: WaitingExecution, hasLeft: () => void, known?: OpenExecution): Promise<void> {
    const turn = sending.enter(waiting.bytes);
    return turn instanceof Promise
      ? turn.then((leave) => sendAndLeave(waiting, { leave, hasLeft }))
      : sendAndLeave(waiting, { leave: turn, hasLeft, known });
  }

  async function sendAndLeave(waiting: WaitingExecution, { leave, hasLeft, known }: Sending): Promise<void> {
    try {
      await send(waiting, hasLeft, known);
    } finally {
      leave();
      hasLeft();
    }
  }

  async function send(waiting: WaitingExecution, hasLeft: () => void, known?: OpenExecution): Promise<void> {
    const { id, deviceId, deadline } = waiting;
    // Marked, one whose time is over would be taken for sent, and its end would be unknown.
    if (!waiting.attempted && deadline <= needs.now()) return;
    if (!waiting.attempted && !(await needs.executions.markAttempted(id, deviceId))) return;
    noteHanded(id);
    const sent = known ?? (await needs.executions.toSend(id, deviceId));
    if (sent === undefined) return;
    // An expired command is never started. Its timer is due, or will be soon if the clock was set forward. Nothing is
    // awaited between this look at the clock and the hand-over.
    if (deadline <= needs.now()) return await needs.executions.unmarkAttempted(id, deviceId);
    const { request } = sent.execution;
    const clear = clearArguments(sent);
    if (clear === undefined) return await recordOwn(waiting, "ERROR", UNREADABLE);
    const command = { id, name: request.manifestName, arguments: clear, caller: sent.execution.caller };
    const outcome = await handOverNow(sent.execution, command, hasLeft);
    if (typeof outcome === "object") return await refused(waiting, outcome.refused);
    switch (outcome) {
      case "handed_over":
        return starts.note(waiting, arrivalAt(needs, { state: "STARTED", payload: undefined, repeated: false }));
      case "not_sent":
        return await removeMark(waiting);
      case "unknown":
        return await recordOwn(waiting, "IN_PROGRESS", MAYBE_SENT);
      case "accepted":
        return await giveToOwner(waiting, true);
      case "reported":
        return;
      case "unanswered":
        return await giveToOwner(waiting, false);
    }
  }

  function noteHanded(id: string): void {
    handed.add(id);
    if (handed.size > HANDED_OVER) for (const oldest of handed) if (handed.delete(oldest)) break;
  }

  async function giveToOwner({ id, deviceId }: WaitingExecution, isAnswered: boolean): Promise<void> {
    const execution = await needs.executions.giveToOwner(id, isAnswered, deviceId);
    if (execution !== undefined) watch.changed(execution);
  }

  async function loseSight(id: string): Promise<void> {
    const execution = await needs.executions.loseSight(id);
    if (execution !== undefined) watch.changed(execution);
  }

  /** The other side has not accepted it. Its time may be over here, and then it was taken for accepted. */
  async function refused(waiting: WaitingExecution, message: string): Promise<void> {
    await needs.executions.takeFromOwner(waiting.id, waiting.deviceId);
    await recordOwn(waiting, "ERROR", message);
  }

  async function handOverNow(execution: Execution, command: OutgoingCommand, hasLeft: () => void): Promise<HandOver> {
    try {
      const outcome = needs.channel.send(execution.deviceId, command, execution);
      hasLeft();
      return await outcome;
    } catch (error) {
      needs.background.run("hand a command over", async () => {
        throw error;
      });
      return "unknown";
    }
  }

  /** Records a response that does not come from the device: what this side knows of the execution. */
  async function recordOwn(waiting: WaitingExecution, state: "IN_PROGRESS" | "ERROR", message: string): Promise<void> {
    const arrival = arrivalAt(needs, { state, payload: { message }, repeated: false });
    const execution = await needs.executions.record(waiting.deviceId, waiting.id, arrival);
    if (execution !== undefined) watch.changed(execution);
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
    handed.delete(id);
    try {
      await needs.executions.unmarkAttempted(id, deviceId);
    } catch (error) {
      // A command that is marked but not sent would never be handed over, and only this call knows that it may be.
      tryAgain("remove the mark of an attempt", () => removeMark(waiting));
      throw error;
    }
    // The device is already back. It returned before the mark was removed, so nobody else hands the command over.
    if (needs.channel.isReady(deviceId)) handOverLater(waiting);
    // Or at another node, which does not look at what is marked.
    else needs.nodes.broadcast({ kind: "execution", has: "waits", deviceId, id });
  }

  function handOver(waiting: WaitingExecution, known?: OpenExecution): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const handed = deliver(waiting, resolve, known);
    needs.background.run("hand a command over", async () => {
      try {
        await handed;
      } catch (error) {
        // Nobody else would try again once the disk works. If the command was sent, its mark stops the second try.
        handOverLater(waiting);
        throw error;
      } finally {
        resolve();
      }
    });
    return promise;
  }

  function handOverLater(waiting: WaitingExecution): void {
    tryAgain("hand a command over again", async () => {
      if (needs.channel.isReady(waiting.deviceId)) await handOver({ ...waiting, attempted: false });
    });
  }

  function tryAgain(name: string, task: () => Promise<void>): void {
    const callOff = needs.after(AGAIN_MS, () => {
      retries.delete(callOff);
      needs.background.run(name, task);
    });
    retries.add(callOff);
  }

  return {
    handOver,
    take,
    takeUnlessSent,
    loseSight,
    takeStart: starts.take,
    stop() {
      starts.stop();
      for (const callOff of retries) callOff();
    },
  };
}

/** A response that comes now. */
export function arrivalAt(
  { now, responseTimeoutMs }: Pick<DeliveryNeeds, "now" | "responseTimeoutMs">,
  { state, payload, repeated }: Omit<CarriedArrival, "at" | "patienceMs">,
): CarriedArrival {
  const at = (now() * 1000) as Micros;
  return { state, payload, at, patienceMs: responseTimeoutMs, repeated };
}

export function waitingOf({ execution, attempted, sealed }: OpenExecution): WaitingExecution {
  const { id, deviceId, siteId, createdAt, deadline, request } = execution;
  const bytes = approximateBytes(request.arguments) + (sealed?.byteLength ?? 0);
  return { id, deviceId, siteId, createdAt, deadline, attempted, bytes };
}
