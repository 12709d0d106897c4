// Commands that were sent to one gateway and whose answer is missing.
import type { Execution } from "#core/command/execution.ts";
import type { DownMessage, LinkedTrace } from "#core/link/messages.ts";
import { renderTraceContext } from "#core/trace/trace-context.ts";
import type { LinkChannel } from "#service/link/link-channel.ts";
import type { HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { Needs } from "#service/ports.ts";
import type { ExecutionTraces } from "#service/trace/execution-traces.ts";

export interface GatewayOrders {
  /** Sends the command. Resolves when the gateway has answered, or when it is certain that it will not. */
  give(command: OutgoingCommand, execution: Execution): Promise<HandOver>;
  /** The gateway has answered. `refused` is its reason, null when it has accepted. */
  answered(id: string, refused: string | null): void;
  /** The gateway has reported the execution, and that is stored. */
  reported(id: string): void;
  /** The connection has ended, so no answer comes. */
  abandon(): void;
}

export interface OrderNeeds extends Pick<Needs, "now"> {
  readonly executionTraces: Pick<ExecutionTraces, "of">;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** How long after the deadline of a command its gateway may still answer whether it has accepted it. */
const ANSWER_MS = 5_000;

export function createGatewayOrders(
  needs: OrderNeeds,
  channel: Pick<LinkChannel<DownMessage, never>, "send" | "close">,
): GatewayOrders {
  function traceOf(executionId: string): LinkedTrace | undefined {
    const trace = needs.executionTraces.of(executionId);
    if (trace === undefined) return undefined;
    const { traceparent = "", tracestate } = renderTraceContext(trace);
    return { traceparent, tracestate };
  }

  const missing = new Map<string, (outcome: HandOver) => void>();
  return {
    async give(command, execution) {
      const patienceMs = execution.deadline - needs.now();
      // The gateway would have to refuse it, and it would end as an error instead of a timeout.
      if (patienceMs <= 0) return "not_sent";
      const { promise, resolve: settle } = Promise.withResolvers<HandOver>();
      missing.set(command.id, settle);
      const { id, deviceId, createdAt, ephemeral, request } = execution;
      const order = {
        id,
        deviceId,
        createdAt,
        ephemeral,
        name: request.name,
        arguments: command.arguments,
        patienceMs,
        caller: command.caller?.name ?? "cloud",
        callerId: command.caller?.tokenId,
        scheduleId: command.caller?.scheduleId,
        trace: traceOf(id),
      };
      channel.send({ type: "execute", order }).catch(() => settle("unanswered"));
      const answered = new AbortController();
      const patience = needs.pause(patienceMs + ANSWER_MS, answered.signal).then(() => {
        // After the next connection it is asked whether it has accepted the order.
        if (!answered.signal.aborted) channel.close("the gateway has not answered an order in time");
        return "unanswered" as const;
      });
      try {
        return await Promise.race([promise, patience]);
      } finally {
        // With a reason: without one, an error with its stack is made for each order.
        answered.abort("answered");
        missing.delete(command.id);
      }
    },
    answered: (id, refused) => missing.get(id)?.(refused === null ? "accepted" : { refused }),
    reported: (id) => missing.get(id)?.("reported"),
    abandon() {
      for (const settle of missing.values()) settle("unanswered");
    },
  };
}
