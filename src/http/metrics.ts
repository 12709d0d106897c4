import type { FastifyReply, FastifyRequest } from "fastify";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { refuse } from "#core/app-error.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import type { Shares } from "#core/share/shares.ts";
import { addFigureMetrics } from "#http/figure-metrics.ts";
import type { Route, RouteDescription } from "#http/route.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { RawAnswer } from "#service/operation/answer.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Figures } from "#service/ports/figures.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import type { Troubles } from "#service/troubles.ts";

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

interface MetricsNeeds {
  /** Whose states are counted. */
  readonly hosts: Pick<DeviceHost, "states" | "overruns">;
  readonly telemetryCounter: Pick<TelemetryCounter, "read">;
  readonly dispatcher: Pick<CommandDispatcher, "dropped" | "onEnd">;
  readonly budgets: Pick<ByteBudgets, "list">;
  readonly troubles: Pick<Troubles, "list" | "counts">;
  readonly choreHealth: Pick<ChoreHealth, "failures">;
  readonly shares: Pick<Shares, "list">;
  readonly backups: Pick<Backups, "last">;
  /** Counted when somebody asks. */
  readonly figures: () => Promise<Figures>;
}

const SHARE_GAUGES = [
  { of: "inside", name: "busbar_share_inside", help: "How many use each share now." },
  { of: "waiting", name: "busbar_share_waiting", help: "How many wait for their turn in each share." },
] as const;

export function createMetrics(
  { hosts, telemetryCounter, dispatcher, budgets, shares, troubles, choreHealth, backups, figures }: MetricsNeeds,
  settings: { readonly metricsPublic: boolean },
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: "busbar_http_request_seconds",
    help: "Time from a request's first byte to its answer, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  const ends = new Histogram({
    name: "busbar_execution_seconds",
    help: "Time from an execution's creation to its end, by the state in which it ended. A late answer after TIMEOUT is one more end.",
    labelNames: ["state"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  dispatcher.onEnd(({ state }, ms) => ends.observe({ state }, ms / 1000));
  addFigureMetrics(registry, figures);
  // They collect by themselves.
  void new Gauge({
    name: "busbar_hosted_devices",
    help: "Devices that run in this process, scripts and models, by state.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.reset();
      for (const state of hosts.states()) this.inc({ state });
    },
  });
  void new Counter({
    name: "busbar_script_overruns_total",
    help: "Jobs, command handlers and other activities of scripts that lasted for more than 10 s.",
    registers: [registry],
    collect() {
      this.reset();
      this.inc(hosts.overruns());
    },
  });
  void new Counter({
    name: "busbar_telemetry_values_total",
    help: "Telemetry values that devices sent, by whether they were kept or left out because they do not fit the blueprint.",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      const { kept, leftOut } = telemetryCounter.read();
      this.reset();
      this.inc({ outcome: "kept" }, kept);
      this.inc({ outcome: "left_out" }, leftOut);
    },
  });
  void new Counter({
    name: "busbar_dropped_responses_total",
    help: "Responses of devices that were dropped, by state: they came after the end of their execution, twice, or for no execution of the device.",
    labelNames: ["state"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [state, count] of dispatcher.dropped()) this.inc({ state }, count);
    },
  });
  void new Gauge({
    name: "busbar_buffer_bytes",
    help: "Bytes that each buffer, queue and cache holds.",
    labelNames: ["buffer"],
    registers: [registry],
    collect() {
      for (const { name, used } of budgets.list()) this.set({ buffer: name }, used());
    },
  });
  void new Gauge({
    name: "busbar_buffer_limit_bytes",
    help: "The most bytes that each buffer, queue and cache may hold.",
    labelNames: ["buffer"],
    registers: [registry],
    collect() {
      for (const { name, limit } of budgets.list()) this.set({ buffer: name }, limit);
    },
  });
  void new Gauge({
    name: "busbar_troubles",
    help: "What does not work while the rest serves, by part; /readyz says what it is.",
    labelNames: ["part"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { part } of troubles.list()) this.inc({ part });
    },
  });
  void new Counter({
    name: "busbar_troubles_total",
    help: "How often each part was found not to work since the start; errors that nobody handled are of the part program.",
    labelNames: ["part"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [part, count] of troubles.counts()) this.inc({ part }, count);
    },
  });
  void new Counter({
    name: "busbar_chore_failures_total",
    help: "Rounds of recurring work that failed since the start, by the work: deleting what is old, for example.",
    labelNames: ["chore"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [chore, count] of choreHealth.failures()) this.inc({ chore }, count);
    },
  });
  void new Gauge({
    name: "busbar_last_backup_timestamp_seconds",
    help: "When the last complete backup was begun, in Unix seconds; 0 if there is none.",
    registers: [registry],
    collect() {
      this.set((backups.last()?.at ?? 0) / 1000);
    },
  });
  void new Gauge({
    name: "busbar_last_backup_bytes",
    help: "The size of the last complete backup.",
    registers: [registry],
    collect() {
      this.set(backups.last()?.bytes ?? 0);
    },
  });
  for (const { of, name, help } of SHARE_GAUGES) {
    const collect = function (this: Gauge<"share">) {
      for (const [share, use] of shares.list()) this.set({ share }, use[of]);
    };
    void new Gauge({ name, help, labelNames: ["share"], registers: [registry], collect });
  }
  void new Counter({
    name: "busbar_share_refused_total",
    help: "How many each share has refused since the start.",
    labelNames: ["share"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [share, { refused }] of shares.list()) this.inc({ share }, refused);
    },
  });
  // Finding a series by two labels costs more than counting in it. There are as many series as operations times
  // statuses.
  const series = new Map<string, Histogram.Internal<"operation" | "status">>();
  return {
    observe(request, reply) {
      const operation = (request.routeOptions.config as { operation?: string }).operation ?? "none";
      const key = `${operation} ${reply.statusCode}`;
      let found = series.get(key);
      if (found === undefined) {
        found = duration.labels(operation, String(reply.statusCode));
        series.set(key, found);
      }
      found.observe(reply.elapsedTime / 1000);
    },
    route: {
      ...METRICS,
      run: async (call) => {
        if (!settings.metricsPublic && (call.forwarded() || !isLoopback(call.remoteAddress))) {
          throw refuse("forbidden", "metrics are for this machine only; the setting http.metrics_public opens them");
        }
        return new RawAnswer(registry.contentType, await registry.metrics());
      },
    },
  };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
