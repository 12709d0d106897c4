// Lets pages of other origins call the interface from a browser, where the operator allows it. They never use the session
// of our own page (same-origin.ts), so such a page can only use a token that it was given.
import type { FastifyInstance } from "fastify";
import { sendAnswer } from "#http/send-answer.ts";

interface CorsSettings {
  /** Origins such as https://app.example; `*` is every origin. Without any, browsers keep other pages out. */
  readonly origins: readonly string[];
  /** The accepted beginnings of the service's own headers. */
  readonly headerPrefixes: readonly string[];
}

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "Last-Event-ID", "Prefer", "X-Request-Id"];
const ANSWER_HEADERS = ["Content-Disposition", "Retry-After", "X-Request-Id"];
/** How long a browser may remember the answer, in seconds. */
const MAX_AGE = "600";

/** Called before the hooks that may refuse: a page may read a refusal, too. */
export function allowOrigins(app: FastifyInstance, { origins, headerPrefixes }: CorsSettings): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  const own = (ends: readonly string[]) => headerPrefixes.flatMap((prefix) => ends.map((end) => `${prefix}-${end}`));
  const taken = [...own(["Auth-Token", "Auth-User", "Allow-HTTP"]), ...REQUEST_HEADERS].join(", ");
  const shown = [...own(["Timeseries-Data-Types"]), ...ANSWER_HEADERS].join(", ");

  app.addHook("onRequest", (request, reply, done) => {
    const { origin, "access-control-request-method": asked } = request.headers;
    // The answer differs by origin, also to those that are not allowed.
    reply.header("vary", "Origin");
    if (origin === undefined || !(allowed.has("*") || allowed.has(origin.toLowerCase()))) return done();
    reply.header("access-control-allow-origin", allowed.has("*") ? "*" : origin);
    reply.header("access-control-expose-headers", shown);
    if (request.method !== "OPTIONS" || asked === undefined) return done();
    reply.header("access-control-allow-methods", METHODS);
    reply.header("access-control-allow-headers", taken);
    reply.header("access-control-max-age", MAX_AGE);
    sendAnswer(reply, 200, {});
  });
}
