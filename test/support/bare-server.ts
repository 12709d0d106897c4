// The HTTP server with routes made for a test and nothing behind them.
import { once } from "node:events";
import { type Agent, request } from "node:http";
import { connect } from "node:net";
import pino from "pino";
import { onTestFinished } from "vitest";
import { createWrongTokenLimit } from "#core/access/wrong-token-limit.ts";
import { createByteBudgets } from "#core/share/byte-budgets.ts";
import { createShares } from "#core/share/shares.ts";
import { instant } from "#core/time/instant.ts";
import type { Route } from "#http/route.ts";
import { createServer, type ServerSettings } from "#http/server.ts";
import { createSessionCookie } from "#service/access/session-cookie.ts";
import { operation } from "#service/operation/operation.ts";
import { Type } from "#service/operation/schema.ts";
import { PASS_ON } from "#service/ports/tracer.ts";

const anything = Type.Object({}, { additionalProperties: true });
/** What the routes of these tests have in common. */
export const head = { tag: "Test", summary: "", level: "public", answer: anything } as const;

/** Stops with the test. `lines` is the log. */
export async function openBareServer(routes: readonly Route[], settings: Partial<ServerSettings> = {}) {
  const lines: string[] = [];
  const shares = createShares();
  const server = await createServer(
    {
      now: () => instant(0),
      newId: () => "id",
      devices: { findIn: async () => undefined, findBySlug: async () => [] },
      refusals: { note: () => false, flush: async () => {} },
      authenticator: { authenticate: () => Promise.reject(new Error("no token is needed here")) },
      openSessions: { authenticate: () => Promise.reject(new Error("no session is needed here")) },
      sessionCookie: createSessionCookie("test"),
      wrongTokens: createWrongTokenLimit(10),
      dispatcher: { dropped: () => new Map(), onEnd: () => {} },
      tracer: PASS_ON,
      figures: () => Promise.reject(new Error("nothing is counted here")),
      telemetryCounter: { read: () => ({ kept: 0, leftOut: 0 }) },
      budgets: createByteBudgets(),
      choreHealth: { failures: () => new Map() },
      troubles: { list: () => [], counts: () => new Map() },
      shares,
      backups: { last: () => undefined },
      hosts: { states: () => [], overruns: () => 0 },
      log: pino({ base: null }, { write: (line: string) => lines.push(line) }),
    },
    {
      headerPrefixes: ["X-Service"],
      corsOrigins: [],
      trustProxy: false,
      metricsPublic: false,
      connectionsPerAddress: 100,
      compress: false,
      ...settings,
    },
    routes,
  );
  const { port } = await server.listen(0, "127.0.0.1");
  onTestFinished(() => server.stop());
  return { server, port, lines, shares };
}

export const quick = operation({
  ...head,
  method: "GET",
  path: "/quick",
  name: "quick",
  run: async () => ({ quick: true }),
});

export const echo = operation({
  ...head,
  method: "POST",
  path: "/echo",
  name: "echo",
  body: anything,
  run: async ({ body }) => body as object,
});

/** A route that answers when asked to, and says when a call has reached it. */
export function heldRoute() {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const held = operation({
    ...head,
    method: "GET",
    path: "/held",
    name: "held",
    run: async () => {
      arrived.resolve();
      await release.promise;
      return { held: true };
    },
  });
  return { held, arrived: arrived.promise, release: release.resolve };
}

/** Sends and keeps the connection open; gives all that came until the server closed it. */
export async function sendAndWait(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let seen = "";
  socket.on("data", (part) => (seen += part.toString()));
  socket.write(text);
  await once(socket, "close");
  return seen;
}

interface Seen {
  readonly status: number | undefined;
  readonly connection: string | undefined;
  readonly text: string;
}

export function get(port: number, path: string, agent: Agent): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const call = request({ port, path, agent }, (response) => {
      let text = "";
      response.on("data", (part) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, connection: response.headers.connection, text }));
    });
    call.on("error", reject).end();
  });
}
