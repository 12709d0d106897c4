// The life of a request, in this order: request id -> stopping? -> token -> level -> body and query parsed -> handler
// -> answer. The part from the token on is in register-route.ts.

import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type AppError, refuse } from "#core/app-error.ts";
import type { ByteBudgets } from "#core/share/byte-budgets.ts";
import { createByteShares } from "#core/share/byte-shares.ts";
import type { Shares } from "#core/share/shares.ts";
import { EVENT_LOOP } from "#event-loop";
import { type AuthenticateNeeds, createAuthenticate } from "#http/authenticate.ts";
import { boundConnections } from "#http/bound-connections.ts";
import { boundUnread } from "#http/bound-unread.ts";
import { allowOrigins } from "#http/cors.ts";
import { countBodies } from "#http/count-bodies.ts";
import { createApp, LIMITS, type Limits } from "#http/create-app.ts";
import { createMainThreadShare } from "#http/main-thread-share.ts";
import { createMetrics } from "#http/metrics.ts";
import { createBodyPacer } from "#http/pace-bodies.ts";
import { type PageFiles, sendPage } from "#http/page/page-files.ts";
import { refuseSocket } from "#http/refuse-socket.ts";
import { registerRoute } from "#http/register-route.ts";
import type { Route } from "#http/route.ts";
import { SECURITY_HEADERS } from "#http/security-headers.ts";
import { type ProblemNeeds, renderFailure, sendProblem } from "#http/send-problem.ts";
import { openTlsDoor, type ServerCertificate } from "#http/tls-door.ts";
import { createTokenHeaders } from "#http/token-headers.ts";
import { traceCalls } from "#http/trace-calls.ts";
import { createWebSockets } from "#http/web-sockets.ts";
import type { ChoreHealth } from "#service/chore-health.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import type { Backups } from "#service/ports/backups.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { Figures } from "#service/ports/figures.ts";
import type { Tracer } from "#service/ports/tracer.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import type { Troubles } from "#service/troubles.ts";
import { acceptOften, type OpenPort } from "#tuning/accept-often.ts";

const PREFIXES = ["", "/api"];
/** Node's parser knows some thirty more; Fastify has demands of its own on some of them. */
const SERVED_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const BODIES_BYTES = 64 * 1024 * 1024;
const UNREAD_BYTES = 64 * 1024 * 1024;
const BODIES_BYTES_PER_CALLER = 16 * 1024 * 1024;
/** Far fewer in total than the writes that may wait for the disk: so calls alone cannot keep devices from writing. */
const CHANGES = { slots: 8_192, perToken: 2_048, perAddress: 4_096 };
/** Between the end of the port and the first request of a client that connected before, in milliseconds. */
const FIRST_REQUEST_MS = 500;
const CHECK_MS = 10;

export interface ServerNeeds extends Omit<ProblemNeeds, "pacer">, AuthenticateNeeds {
  readonly budgets: Pick<ByteBudgets, "list" | "open">;
  readonly shares: Shares;
  readonly telemetryCounter: Pick<TelemetryCounter, "read">;
  readonly dispatcher: Pick<CommandDispatcher, "dropped" | "onEnd">;
  readonly figures: () => Promise<Figures>;
  readonly tracer: Tracer;
  readonly hosts: Pick<DeviceHost, "states" | "overruns">;
  readonly troubles: Pick<Troubles, "list" | "counts">;
  readonly choreHealth: Pick<ChoreHealth, "failures">;
  readonly backups: Pick<Backups, "last">;
}

export interface ServerSettings {
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean | readonly string[];
  readonly metricsPublic: boolean;
  readonly connectionsPerAddress: number;
  readonly limits?: Partial<Limits>;
  /** The built page; without it there is only a page that says how to build it. */
  readonly pageFiles?: PageFiles | undefined;
  /** With it, only TLS is spoken. */
  readonly certificate?: ServerCertificate | undefined;
}

export interface Server {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  /** Nobody can connect any more. The calls of those who have connected are served, and then their connections end. */
  closePort(): Promise<void>;
  /** Closes the port, finishes running calls, refuses new ones, and after at most 10 s cuts off the rest. */
  stop(): Promise<void>;
}

export async function createServer(
  needs: ServerNeeds,
  settings: ServerSettings,
  routes: readonly Route[],
): Promise<Server> {
  const tokenHeaders = createTokenHeaders(settings.headerPrefixes);
  const authenticate = createAuthenticate(needs, tokenHeaders);
  const metrics = createMetrics(needs, settings);
  const mainThread = createMainThreadShare(needs.shares);
  const changing = openCallPlaces(
    needs.shares,
    { name: "changes", refusal: callRefusal("calls that change something") },
    CHANGES,
  );
  let isClosing = false;
  const stopping = new AbortController();
  const limits = { ...LIMITS, connectionsPerAddress: settings.connectionsPerAddress, ...settings.limits };
  const pacer = createBodyPacer(needs.shares, limits.connections);
  const problemNeeds = { ...needs, pacer };
  const { app, pipelines } = createApp({
    newId: needs.newId,
    trustProxy: settings.trustProxy,
    limits,
    refuse: (error, request, reply) => void sendProblem(problemNeeds, request, { reply, error }),
  });

  // Hooks that run on every call take a callback: an async function would cost a turn of the microtask queue each.
  traceCalls(app, needs.tracer);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id).headers(SECURITY_HEADERS);
    const { headers, httpVersion } = request.raw;
    if (isClosing) reply.header("connection", "close");
    if (stopping.signal.aborted || (isClosing && asksForReadiness(request))) {
      return done(refuse("shutting_down", "the service is stopping; try again in a moment"));
    }
    if (!SERVED_METHODS.has(request.method)) return done(unknownRoute(request));
    const hosts = countHosts(request.raw.rawHeaders);
    if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
      return done(refuse("invalid_request", `the request has ${hosts === 0 ? "no" : "more than one"} Host header`));
    }
    // A content type that cannot be parsed counts as none.
    if (headers["content-type"] !== undefined && request.mediaType === undefined) delete headers["content-type"];
    done();
  });
  allowOrigins(app, { origins: settings.corsOrigins, headerPrefixes: tokenHeaders.prefixes });
  app.addHook("onResponse", (request, reply, done) => {
    metrics.observe(request, reply);
    done();
  });
  // A refusal takes a turn like an answer. If there is no place to wait, the client is told that instead.
  const sendInTurn = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    mainThread
      .serve(request, () => sendProblem(problemNeeds, request, { reply, error }))
      .catch((crowded: unknown) => sendProblem(problemNeeds, request, { reply, error: crowded }));
  app.setErrorHandler(sendInTurn);
  const { pageFiles } = settings;
  app.setNotFoundHandler((request, reply) => {
    if (pageFiles !== undefined && sendPage(pageFiles, request, reply)) return reply;
    return sendInTurn(unknownRoute(request), request, reply);
  });

  const bodies = needs.budgets.open("request_bodies", BODIES_BYTES);
  countBodies(app, createByteShares(bodies, BODIES_BYTES_PER_CALLER), pacer);
  const webSockets = createWebSockets(app, {
    stallMs: limits.stallMs,
    pipelines,
    signedIn: (stream, who) => connections.signedIn(stream, who),
  });
  const late = {
    countUnread: boundUnread(app, needs.budgets.open("unread_answers", UNREAD_BYTES)),
    renderFailure: (request: FastifyRequest, error: unknown) => renderFailure(problemNeeds, request, error),
  };
  for (const route of [...routes, metrics.route]) {
    for (const prefix of PREFIXES) {
      if (pageFiles !== undefined && prefix + route.path === "/") continue;
      const registration = {
        prefix,
        authenticate,
        tokenHeaders,
        stopping: stopping.signal,
        isClosing: () => isClosing,
        mainThread,
        changing,
        late,
        webSockets,
      };
      registerRoute(app, route, registration);
    }
  }
  await app.ready();

  const { certificate } = settings;
  const refuseNewcomer = (socket: Socket) => {
    // Before the handshake the client would not understand.
    if (certificate !== undefined) return void socket.destroy();
    const message = "there are too many connections, and each of them is in use; close some or try again in a moment";
    const refusal = {
      status: "503 Service Unavailable",
      code: "overloaded",
      message,
      requestId: needs.newId(),
    } as const;
    refuseSocket(socket, refusal, true);
  };
  const openDoor =
    certificate &&
    ((serve: (secure: Socket, connection: Socket) => void) => openTlsDoor(needs.log, certificate, serve));
  const connections = boundConnections(app.server, { shares: needs.shares, refuseNewcomer, openDoor }, limits);

  let openPort: OpenPort | undefined;
  const leave = async () => {
    isClosing = true;
    await openPort?.close(EVENT_LOOP.elapsed);
    // Whoever connected last has not been heard yet.
    for (let waited = 0; connections.hasNewcomers() && waited < FIRST_REQUEST_MS; waited += CHECK_MS) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    }
  };
  let closed: Promise<void> | undefined;
  const closePort = () => {
    closed ??= leave();
    return closed;
  };
  return {
    async listen(port, host) {
      openPort = await acceptOften(app.server, { port, host }, async (options) => {
        await app.listen(options);
        const address = app.server.address();
        return typeof address === "object" && address !== null ? address.port : port;
      });
      return { port: openPort.port };
    },
    closePort,
    async stop() {
      await closePort();
      stopping.abort();
      const cut = setTimeout(() => app.server.closeAllConnections(), limits.stopMs);
      // A connection whose last answer did not announce its end becomes idle and would delay the stop.
      connections.closeIdle();
      const idle = setInterval(() => connections.closeIdle(), 100);
      await openPort?.ended;
      clearTimeout(cut);
      clearInterval(idle);
      await app.close();
    },
  };
}

/** Calls are still served while the port closes, but nobody should send more. */
function asksForReadiness({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as { operation?: string }).operation === "getReadiness";
}

/** Node discards all but the first: a proxy that uses another one would see a different host. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === "host") count += 1;
  }
  return count;
}

function unknownRoute({ method, url }: FastifyRequest): AppError {
  return refuse("route_not_found", `no operation answers ${method} ${pathOf(url)}; /docs lists them all`);
}

function pathOf(url: string): string {
  const path = url.split("?", 1)[0] ?? url;
  return path.length > 100 ? `${path.slice(0, 100)}...` : path;
}
