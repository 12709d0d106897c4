import type { FastifyReply, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Histogram, Registry } from "prom-client";
import { refuse } from "#core/app-error.ts";
import { addMetrics } from "#http/add-metrics.ts";
import { createCallDurations } from "#http/call-durations.ts";
import { FIGURE_METRICS } from "#http/figure-metrics.ts";
import { NODE_METRICS, type NodeMetricsNeeds } from "#http/node-metrics.ts";
import type { Route, RouteDescription } from "#http/route.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { RawAnswer } from "#service/operation/answer.ts";
import type { Figures } from "#service/ports/figures.ts";

export interface Metrics {
  readonly route: Route;
  readonly observe: (request: FastifyRequest, reply: FastifyReply) => void;
}

export const METRICS: RouteDescription = {
  method: "GET",
  path: "/metrics",
  name: "getMetrics",
  summary: "Metrics for Prometheus",
  description: "Answers this machine only, unless the setting http.metrics_public is on.",
  tag: "System",
  level: "public",
  answer: { contentType: Registry.PROMETHEUS_CONTENT_TYPE, description: "Prometheus text." },
};

export interface MetricsNeeds extends NodeMetricsNeeds {
  readonly dispatcher: Pick<CommandDispatcher, "dropped" | "onEnd">;
  /** Counted when somebody asks. */
  readonly figures: () => Promise<Figures>;
}

export function createMetrics(needs: MetricsNeeds, settings: { readonly metricsPublic: boolean }): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = createCallDurations();
  const ends = new Histogram({
    name: "busbar_execution_seconds",
    help: "Time from an execution's creation to its end, by the state in which it ended. A late answer after TIMEOUT is one more end.",
    labelNames: ["state"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  needs.dispatcher.onEnd(({ state }, ms) => ends.observe({ state }, ms / 1000));
  addMetrics(registry, NODE_METRICS, async () => needs);
  addMetrics(registry, FIGURE_METRICS, readTogether(needs.figures));
  return {
    observe(request, reply) {
      const operation = (request.routeOptions.config as { operation?: string }).operation ?? "none";
      durations.observe(operation, reply.statusCode, reply.elapsedTime / 1000);
    },
    route: {
      ...METRICS,
      run: async (call) => {
        if (!settings.metricsPublic && (call.forwarded() || !isLoopback(call.remoteAddress))) {
          throw refuse("forbidden", "metrics are for this machine only; the setting http.metrics_public opens them");
        }
        return new RawAnswer(registry.contentType, `${await registry.metrics()}${durations.render()}`);
      },
    },
  };
}

/** All metrics of a scrape, and of others at the same time, are read from the same figures. */
function readTogether(figures: () => Promise<Figures>): () => Promise<Figures | undefined> {
  let reading: Promise<Figures | undefined> | undefined;
  return () => {
    reading ??= figures()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
}

export function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
