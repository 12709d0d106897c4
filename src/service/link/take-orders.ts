// Takes the commands that the cloud hands over, and answers what became of them.
import type { ExecutionChange } from "#core/command/remote-execution.ts";
import { fitChange } from "#core/link/fit-record.ts";
import type { ExecutionOrder } from "#core/link/messages.ts";
import { type AcceptNeeds, acceptOrder } from "#service/link/accept-order.ts";
import type { Line } from "#service/link/line.ts";
import { inPieces } from "#service/link/link-pieces.ts";
import type { Needs } from "#service/ports.ts";

export interface TakeOrdersNeeds extends AcceptNeeds, Pick<Needs, "executions"> {
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface TakenOrders {
  accept(order: ExecutionOrder): Promise<void>;
  /** Sends what is known of the executions. */
  answer(ids: readonly string[]): Promise<void>;
  /** The cloud has been sent something of the execution. */
  reported(id: string): void;
  /** After the end of the line. */
  end(): void;
}

const MAX_ASKED = 100;
/** Longer than it takes until the start of a command is recorded. */
const ANSWER_WITHIN_MS = 50;

export function takeOrders(needs: TakeOrdersNeeds, line: Pick<Line, "send" | "signal">): TakenOrders {
  const accepting = new Set<Promise<unknown>>();
  /** Accepted orders whose answer waits until something is reported of them. */
  const unanswered = new Map<string, AbortController>();

  /**
   * Most commands end within a moment. The report of the end also says that the order was accepted, so the cloud stores
   * both with one commit. For the cloud the answer is late, as over a slow line.
   */
  async function untilReported(id: string): Promise<void> {
    const reported = new AbortController();
    unanswered.set(id, reported);
    await needs.pause(ANSWER_WITHIN_MS, reported.signal);
    unanswered.delete(id);
  }

  async function* wholeOnes(ids: readonly string[], unknown: string[]): AsyncIterable<ExecutionChange> {
    for (const id of ids) {
      const change = await needs.executions.whole(id);
      if (change === undefined) unknown.push(id);
      else yield fitChange(change);
    }
  }

  return {
    async accept(order) {
      const accepted = acceptOrder(needs, order);
      accepting.add(accepted);
      const refused = (await accepted.finally(() => accepting.delete(accepted))) ?? null;
      if (refused === null && !line.signal.aborted) await untilReported(order.id);
      await line.send({ type: "answer", id: order.id, refused });
    },
    async answer(ids) {
      // An order that came before is known only when it is stored.
      await Promise.allSettled(accepting);
      const unknown: string[] = [];
      for await (const changes of inPieces(wholeOnes(ids.slice(0, MAX_ASKED), unknown))) {
        await line.send({ type: "executions", changes, unknown: [] });
      }
      if (unknown.length > 0) await line.send({ type: "executions", changes: [], unknown });
    },
    reported: (id) => unanswered.get(id)?.abort("reported"),
    end() {
      for (const waiting of unanswered.values()) waiting.abort("ended");
    },
  };
}
