// A span for each call, where somebody collects spans. The trace of a call is also that of what it leads to.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { parseTraceContext, type TraceContext } from "#core/trace/trace-context.ts";
import type { Span, Tracer } from "#service/ports/tracer.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined where nobody collects spans. */
    span: Span | undefined;
  }
}

/** Without anybody who collects them, a call costs nothing more. */
export function traceCalls(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest("span", undefined);
  if (!tracer.isOn) return;
  app.addHook("onRequest", (request, _reply, done) => {
    request.span = tracer.begin(operationOf(request), "server", givenTrace(request));
    done();
  });
  app.addHook("onResponse", (request, { statusCode }, done) => {
    const { method, routeOptions } = request;
    const attributes = {
      "http.request.method": method,
      "http.route": routeOptions.url ?? "none",
      "http.response.status_code": statusCode,
      "busbar.request.id": request.id,
    };
    request.span?.end({ attributes, error: statusCode >= 500 ? `status ${statusCode}` : undefined });
    done();
  });
}

/** The trace for what follows from the call. */
export function traceOf(request: FastifyRequest): TraceContext | undefined {
  return request.span === undefined ? givenTrace(request) : request.span.context;
}

function givenTrace({ headers }: FastifyRequest): TraceContext | undefined {
  const { traceparent, tracestate } = headers;
  if (traceparent === undefined) return undefined;
  return parseTraceContext(String(traceparent), tracestate === undefined ? undefined : String(tracestate));
}

function operationOf({ routeOptions }: FastifyRequest): string {
  return (routeOptions.config as { operation?: string } | undefined)?.operation ?? "none";
}
