import { Histogram, Registry } from "prom-client";
import { expect, test } from "vitest";
import { createCallDurations } from "./call-durations.ts";

test("the text is what prom-client writes of the same observations", async () => {
  const registry = new Registry();
  const plain = new Histogram({
    name: "busbar_http_request_seconds",
    help: "Time from a request's first byte to its answer, by operation and status.",
    labelNames: ["operation", "status"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
    registers: [registry],
  });
  const durations = createCallDurations();
  const seconds = [0, 0.001, 0.0010001, 0.004, 0.5, 59.9, 60, 61, 3600];
  for (const [at, one] of seconds.entries()) {
    for (const [operation, status] of [
      ["getDevice", 200],
      ["getDevice", 404],
      ["none", 400 + (at % 2)],
    ] as const) {
      plain.observe({ operation, status: String(status) }, one);
      durations.observe(operation, status, one);
    }
  }
  expect(durations.render()).toBe(await registry.metrics());
});

test("before the first call there is only the description", () => {
  expect(createCallDurations().render().trimEnd().split("\n")).toHaveLength(2);
});
