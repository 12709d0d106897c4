// Operations of the interface that come over the link instead of HTTP.
import { refuse } from "#core/app-error.ts";
import { isCarried } from "#core/link/asked-change.ts";
import { compileBody } from "#http/body.ts";
import type { Route } from "#http/route.ts";
import type { Schema } from "#http/schema.ts";
import { requireLevel } from "#service/access/require-level.ts";
import type { RunOperation } from "#service/ports/run-operation.ts";

const NEVER = new AbortController().signal;

export function createRunOperation(routes: readonly Route[]): RunOperation {
  const carried = new Map(
    routes
      .filter(({ operation, aliasOf }) => aliasOf === undefined && isCarried(operation))
      .map((route) => [route.operation, { route, parse: route.body && compileBody(route.body as Schema) }]),
  );
  return async ({ params, body, ...call }) => {
    const found = carried.get(call.operation);
    if (found === undefined) throw refuse("not_available", `this gateway does not know ${call.operation}`);
    const { route, parse } = found;
    if (route.access !== "public") requireLevel(call.caller, route.access);
    return await route.handle({
      ...call,
      params,
      query: {},
      body: parse?.(Buffer.from(JSON.stringify(body ?? {}))),
      header: () => undefined,
      headerPrefix: () => "X-Service",
      contentType: "application/json",
      host: () => ({ name: "localhost", port: 0 }),
      isSecure: () => true,
      forwarded: () => false,
      signal: () => NEVER,
      stored: () => {},
    });
  };
}
