// Where a call that carries the cookie of a session comes from. A browser sends the cookie along with every call to this
// host, whoever makes it; so a page of another origin, also one on another port of this host, could act for the person
// who is signed in. Headers say where a call comes from, and no page can set them.
import type { FastifyRequest } from "fastify";
import { refuse } from "#core/app-error.ts";
import { wantsWebSocket } from "#http/web-sockets.ts";

/** `person`: typed or bookmarked. `unknown`: the call does not say. */
type Source = "own page" | "person" | "other page" | "unknown";

/** Browsers send Sec-Fetch-Site over TLS and to this machine, and Origin with everything but plain reads. */
function sourceOf({ headers, host }: Pick<FastifyRequest, "headers" | "host">): Source {
  const { "sec-fetch-site": site, origin } = headers;
  if (site !== undefined) return site === "same-origin" ? "own page" : site === "none" ? "person" : "other page";
  if (origin === undefined) return "unknown";
  return URL.canParse(origin) && new URL(origin).host === host ? "own page" : "other page";
}

/** Changes and WebSockets need the word of the browser that our own page makes the call. Reads must not come from others. */
export function requireOwnPage(request: Pick<FastifyRequest, "headers" | "host" | "method" | "raw">): void {
  const source = sourceOf(request);
  if (source === "own page") return;
  const { method } = request;
  const isRead = (method === "GET" || method === "HEAD") && !wantsWebSocket(request.raw);
  if (isRead && source !== "other page") return;
  throw refuse(
    "foreign_origin",
    source === "other page"
      ? "a page of another origin cannot use the session of this one; give it a token of its own"
      : "a change in a session needs the header Sec-Fetch-Site: same-origin, or an Origin that is this server; programs send a token instead",
  );
}
