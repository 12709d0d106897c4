import type { Logger } from "pino";
import type { Config } from "#config";
import { createExporter } from "#outbound/trace/create-exporter.ts";
import { PASS_ON, type Tracer } from "#service/ports/tracer.ts";
import { version } from "#version";

export interface OpenTracer extends Tracer {
  /** Undefined where nobody collects spans. */
  readonly counts: { readonly sent: number; readonly dropped: number } | undefined;
  stop(): Promise<void>;
}

export function openTracer({ tracing, role }: Config, log: Logger): OpenTracer {
  const endpoint = tracing.otlpEndpoint;
  if (endpoint === undefined) return { ...PASS_ON, counts: undefined, stop: async () => {} };
  const resource = { "service.name": "busbar", "service.version": version(), "busbar.role": role };
  const now = () => Math.round((performance.timeOrigin + performance.now()) * 1_000);
  return createExporter({ endpoint, resource, now }, (error) =>
    log.warn({ err: error }, "spans could not be sent to the collector, and are dropped until it answers"),
  );
}
