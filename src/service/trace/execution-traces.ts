// Which trace an execution belongs to, for what follows from it: its end, and deliveries to webhooks. Only in memory: after
// a restart what still follows belongs to no trace.
import type { Execution } from "#core/command/execution.ts";
import type { TraceContext } from "#core/trace/trace-context.ts";
import type { Span, Tracer } from "#service/ports/tracer.ts";

export interface ExecutionTraces {
  /** The execution was stored, because of a call of this trace. */
  begun(execution: Execution, parent: TraceContext | undefined): void;
  ended(execution: Execution): void;
  of(executionId: string): TraceContext | undefined;
}

/** Those of the latest executions are kept. */
const MOST = 10_000;

export function createExecutionTraces(tracer: Tracer): ExecutionTraces {
  const spans = new Map<string, Span>();
  return {
    begun({ id }, parent) {
      if (parent === undefined && !tracer.isOn) return;
      const [oldest] = spans.keys();
      if (spans.size >= MOST && oldest !== undefined) spans.delete(oldest);
      spans.set(id, tracer.begin("execution", "internal", parent));
    },
    ended({ id, state, request, deviceId }) {
      spans.get(id)?.end({
        attributes: {
          "busbar.command": request.manifestName,
          "busbar.device.id": deviceId,
          "busbar.execution.state": state,
        },
        error: state === "SUCCESS" ? undefined : state,
      });
    },
    of: (executionId) => spans.get(executionId)?.context,
  };
}
