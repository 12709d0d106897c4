// Traces of callers, and spans for a collector.
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsOf, makeCommandSite } from "../support/command-site.ts";
import { type Received, type Receiver, startReceiver } from "../support/receiver.ts";
import { useServer } from "../support/server.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const given = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: "vendor=1" };

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { key: string; value: object }[];
  readonly status: { code: number };
}

let receiver: Receiver;
let collector: Receiver;
beforeAll(async () => {
  [receiver, collector] = await Promise.all([startReceiver(), startReceiver()]);
});
afterAll(() => Promise.all([receiver.stop(), collector.stop()]));
const busbar = useServer(["--mqtt-port", "0", "--webhooks-allow-private"]);

const spansIn = ({ body }: Received) =>
  (body as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }).resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) => spans),
  );

/** Executes a command as part of the given trace; gives the delivery of its end. */
async function executeTraced(name: string): Promise<Received> {
  const site = await makeCommandSite(busbar, name);
  await busbar.admin.post("/v3/webhooks", {
    url: `${receiver.url}/${name}`,
    kinds: ["execution"],
    site_ids: [site.siteId],
  });
  const device = await site.device("Device");
  const mqtt = await site.connect(device);
  mqtt.onCommand((command) => command.completed());
  const { status } = await commandsOf(busbar.admin, device).execute({ name: "stop" }, { headers: given });
  expect(status).toBe(200);
  return await receiver.next(({ path, text }) => path === `/${name}` && text.includes('"state":"SUCCESS"'));
}

test("without a collector the trace of a caller is passed on to webhooks", async () => {
  const { headers } = await executeTraced("passed-on");
  expect(headers).toMatchObject(given);
});

test("with a collector, calls, executions and deliveries are spans of the caller's trace", async () => {
  await busbar.restart(["--tracing-otlp-endpoint", collector.url]);
  const delivery = await executeTraced("collected");
  // A stop sends what waits.
  await busbar.restart(["--tracing-otlp-endpoint", collector.url]);
  const spans = collector.received.flatMap(spansIn).filter(({ traceId }) => traceId === TRACE);
  const call = spans.find(({ name }) => name === "executeCommand");
  const execution = spans.find(({ name }) => name === "execution");
  const attempts = spans.filter(({ name }) => name === "deliver to a webhook");
  expect(collector.received[0]?.path).toBe("/v1/traces");
  expect(call).toMatchObject({ parentSpanId: SPAN, kind: 2, traceState: "vendor=1", status: { code: 1 } });
  expect(call?.attributes).toContainEqual({ key: "http.response.status_code", value: { intValue: "200" } });
  expect(execution).toMatchObject({ parentSpanId: call?.spanId, kind: 1 });
  expect(attempts.map(({ parentSpanId, kind }) => [parentSpanId, kind])).toContainEqual([execution?.spanId, 3]);
  expect(attempts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`)).toContain(delivery.headers["traceparent"]);
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans)
    expect(BigInt(end)).toBeGreaterThanOrEqual(BigInt(start));
});

test("a collector that refuses loses spans, which are counted, and nothing else", async () => {
  collector.answer = (response) => void response.writeHead(503).end();
  const before = collector.received.length;
  for (let round = 0; round < 26; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => busbar.anonymous.get("/healthz")));
  }
  await expect.poll(async () => collector.received.length).toBeGreaterThan(before);
  const dropped = async () =>
    Number(/busbar_spans_total\{outcome="dropped"\} (\d+)/.exec((await busbar.anonymous.get("/metrics")).text)?.[1]);
  await expect.poll(dropped).toBeGreaterThanOrEqual(512);
  expect(busbar.log).toContain("spans could not be sent to the collector");
});
