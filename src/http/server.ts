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
import { createCompressAnswer } from "#http/compress-answers.ts";
import { allowOrigins } from "#http/cors.ts";
import { countBodies } from "#http/count-bodies.ts";
import { createApp, LIMITS, type Limits } from "#http/create-app.ts";
import { createMainThreadShare } from "#http/main-thread-share.ts";
import { createMetrics, type MetricsNeeds } from "#http/metrics.ts";
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
import { callRefusal, openCallPlaces } from "#service/operation/call-places.ts";
import type { Tracer } from "#service/ports/tracer.ts";
import { acceptOften, type OpenPort } from "#tuning/accept-often.ts";

const PREFIXES = ["", "/api"];
/** Node's parser knows some thirty more; Fastify has demands of its own on some of them. */
const SERVED_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
const BODIES_BYTES = 64 * 1024 * 1024;
const UNREAD_BYTES = 64 * 1024 * 1024;
const BODIES_BYTES_PER_CALLER = 16 * 1024 * 1024;
/** Far fewer in total than the writes that may wait for the disk: so calls alone cannot keep devices from writing. */
const CHANGE_PLACES = { slots: 8_192, perToken: 2_048, perAddress: 4_096 };
const CHANGES = { name: "changes", refusal: callRefusal("calls that change something") };
/** Between the end of the port and the first request of a client that connected before, in milliseconds. */
const FIRST_REQUEST_MS = 500;
const CHECK_MS = 10;

export interface ServerNeeds extends Omit<ProblemNeeds, "pacer">, AuthenticateNeeds, MetricsNeeds {
  readonly budgets: Pick<ByteBudgets, "list" | "open">;
  readonly shares: Shares;
  readonly tracer: Tracer;
}

export interface ServerSettings {
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean | readonly string[];
  readonly metricsPublic: boolean;
  readonly connectionsPerAddress: number;
  /** Long answers, for clients that accept it. */
  readonly compress: boolean;
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

type App = ReturnType<typeof createApp>["app"];

/** How far the server is on the way to its end. */
interface Life {
  /** The port closes: calls are still served, but nobody should send more. */
  isClosing: boolean;
  readonly stopping: AbortController;
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
  const changing = openCallPlaces(needs.shares, CHANGES, CHANGE_PLACES);
  const life: Life = { isClosing: false, stopping: new AbortController() };
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
    if (life.isClosing) reply.header("connection", "close");
    done(refusalOf(request, life));
  });
  allowOrigins(app, { origins: settings.corsOrigins, headerPrefixes: tokenHeaders.prefixes });
  app.addHook("onResponse", (request, reply, done) => {
    metrics.observe(request, reply);
    done();
  });
  answerFailures(app, { problemNeeds, mainThread, pageFiles: settings.pageFiles });
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
  const registration = {
    authenticate,
    tokenHeaders,
    stopping: life.stopping.signal,
    isClosing: () => life.isClosing,
    mainThread,
    changing,
    late,
    webSockets,
    compress: settings.compress ? createCompressAnswer() : undefined,
  };
  const isShown = (path: string) => settings.pageFiles === undefined || path !== "/";
  for (const prefix of PREFIXES) {
    for (const route of [...routes, metrics.route].filter(({ path }) => isShown(prefix + path)))
      registerRoute(app, route, { ...registration, prefix });
  }
  await app.ready();

  const door = doorOf(needs, settings.certificate);
  const connections = boundConnections(app.server, { shares: needs.shares, ...door }, limits);
  return servePort(app, { connections, life, stopMs: limits.stopMs });
}

interface FailureNeeds {
  readonly problemNeeds: ProblemNeeds;
  readonly mainThread: ReturnType<typeof createMainThreadShare>;
  readonly pageFiles: PageFiles | undefined;
}

/** A refusal takes a turn like an answer. If there is no place to wait, the client learns that instead. */
function answerFailures(app: App, { problemNeeds, mainThread, pageFiles }: FailureNeeds): void {
  const sendInTurn = (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
    mainThread
      .serve(request, () => sendProblem(problemNeeds, request, { reply, error }))
      .catch((crowded: unknown) => sendProblem(problemNeeds, request, { reply, error: crowded }));
  app.setErrorHandler(sendInTurn);
  app.setNotFoundHandler((request, reply) => {
    if (pageFiles !== undefined && sendPage(pageFiles, request, reply)) return reply;
    return sendInTurn(unknownRoute(request), request, reply);
  });
}

/** How a connection begins, and how one too many is refused. */
function doorOf({ log, newId }: Pick<ServerNeeds, "log" | "newId">, certificate: ServerCertificate | undefined) {
  if (certificate === undefined) {
    return { openDoor: undefined, refuseNewcomer: (socket: Socket) => refuseCrowded(socket, newId()) };
  }
  return {
    openDoor: (serve: (secure: Socket, connection: Socket) => void) => openTlsDoor(log, certificate, serve),
    // Before the handshake the client would not understand an answer.
    refuseNewcomer: (socket: Socket) => void socket.destroy(),
  };
}

function servePort(
  app: App,
  {
    connections,
    life,
    stopMs,
  }: { readonly connections: ReturnType<typeof boundConnections>; readonly life: Life; readonly stopMs: number },
): Server {
  let openPort: OpenPort | undefined;
  const leave = async () => {
    life.isClosing = true;
    await openPort?.close(EVENT_LOOP.elapsed);
    // Whoever connected last has sent nothing yet.
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
      life.stopping.abort();
      const cut = setTimeout(() => app.server.closeAllConnections(), stopMs);
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

/** Why a request is refused before anybody looks at its route; undefined when it is not. */
function refusalOf(request: FastifyRequest, { isClosing, stopping }: Life): AppError | undefined {
  const { headers, httpVersion, rawHeaders } = request.raw;
  if (stopping.signal.aborted || (isClosing && asksForReadiness(request))) {
    return refuse("shutting_down", "the service is stopping; try again in a moment");
  }
  if (!SERVED_METHODS.has(request.method)) return unknownRoute(request);
  const hosts = countHosts(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) {
    return refuse("invalid_request", `the request has ${hosts === 0 ? "no" : "more than one"} Host header`);
  }
  // A content type that cannot be parsed counts as none.
  if (headers["content-type"] !== undefined && request.mediaType === undefined) delete headers["content-type"];
  return undefined;
}

function refuseCrowded(socket: Socket, requestId: string): void {
  const message = "there are too many connections, and each of them is in use; close some or try again in a moment";
  refuseSocket(socket, { status: "503 Service Unavailable", code: "overloaded", message, requestId }, true);
}

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
