// Sends spans to a collector, as OTLP over HTTP in JSON. A collector that is slow or away costs nothing but spans: those
// that wait are bounded, the rest is dropped and counted.
import { randomBytes } from "node:crypto";
import type { TraceContext } from "#core/trace/trace-context.ts";
import type { Span, SpanEnd, SpanKind, Tracer } from "#service/ports/tracer.ts";

export interface ExporterSettings {
  /** The collector's address; spans go to /v1/traces below it. */
  readonly endpoint: string;
  readonly resource: Readonly<Record<string, string>>;
  /** Unix microseconds. */
  readonly now: () => number;
  readonly everyMs?: number;
  readonly most?: number;
}

export interface Exporter extends Tracer {
  /** Since the start. */
  readonly counts: { readonly sent: number; readonly dropped: number };
  /** Sends what waits, and stops. */
  stop(): Promise<void>;
}

interface EndedSpan extends SpanEnd {
  readonly name: string;
  readonly kind: SpanKind;
  readonly context: TraceContext;
  readonly parentId: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

const EVERY_MS = 5_000;
const BATCH = 512;
const MOST = 2_048;
const TIMEOUT_MS = 10_000;
/** A stop does not wait longer for a collector. */
const STOP_MS = 2_000;
const KINDS: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const [OK, ERROR] = [1, 2];

/** `onFailure` is called with the first of several failures in a row. */
export function createExporter(settings: ExporterSettings, onFailure: (error: unknown) => void): Exporter {
  const { everyMs = EVERY_MS, most = MOST } = settings;
  const counts = { sent: 0, dropped: 0 };
  const waiting: EndedSpan[] = [];
  let sending: Promise<void> | undefined;
  let isFailing = false;
  const stopping = new AbortController();
  const timer = setInterval(flush, everyMs);
  timer.unref();

  function flush(): void {
    if (sending !== undefined || waiting.length === 0) return;
    sending = send(waiting.splice(0, BATCH)).finally(() => {
      sending = undefined;
      if (waiting.length >= BATCH) flush();
    });
  }

  async function send(spans: readonly EndedSpan[]): Promise<void> {
    try {
      const answer = await fetch(`${settings.endpoint.replace(/\/+$/, "")}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(renderSpans(settings.resource, spans)),
        signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopping.signal]),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
      counts.sent += spans.length;
      isFailing = false;
    } catch (error) {
      counts.dropped += spans.length;
      if (!isFailing) onFailure(error);
      isFailing = true;
    }
  }

  function take(span: EndedSpan): void {
    if (waiting.length >= most) {
      counts.dropped++;
      return;
    }
    waiting.push(span);
    if (waiting.length >= BATCH) flush();
  }

  return {
    isOn: true,
    counts,
    begin(name, kind, parent): Span {
      const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
      const isSampled = parent?.isSampled ?? true;
      const context = { traceId, spanId: randomBytes(8).toString("hex"), isSampled, state: parent?.state };
      const startedAt = settings.now();
      let hasEnded = false;
      return {
        context,
        end(end) {
          // Who began the trace decides whether it is recorded.
          if (hasEnded || !isSampled) return;
          hasEnded = true;
          take({ ...end, name, kind, context, parentId: parent?.spanId, startedAt, endedAt: settings.now() });
        },
      };
    },
    async stop() {
      clearInterval(timer);
      const late = setTimeout(() => stopping.abort(), STOP_MS);
      while (waiting.length > 0 || sending !== undefined) {
        flush();
        await sending;
      }
      clearTimeout(late);
    },
  };
}

function renderSpans(resource: ExporterSettings["resource"], spans: readonly EndedSpan[]): object {
  const { "service.version": version = "" } = resource;
  return {
    resourceSpans: [
      {
        resource: { attributes: renderAttributes(resource) },
        scopeSpans: [{ scope: { name: "busbar", version }, spans: spans.map(renderSpan) }],
      },
    ],
  };
}

function renderSpan({ name, kind, context, parentId, startedAt, endedAt, attributes = {}, error }: EndedSpan): object {
  const { traceId, spanId, state } = context;
  return {
    traceId,
    spanId,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    ...(state !== undefined && { traceState: state }),
    name,
    kind: KINDS[kind],
    startTimeUnixNano: `${startedAt}000`,
    endTimeUnixNano: `${endedAt}000`,
    attributes: renderAttributes(attributes),
    status: error === undefined ? { code: OK } : { code: ERROR, message: error },
  };
}

function renderAttributes(attributes: Readonly<Record<string, string | number>>): readonly object[] {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value: typeof value === "number" ? { intValue: String(value) } : { stringValue: value },
  }));
}
