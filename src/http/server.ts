// The life of a request, in this order: request id -> stopping? -> token -> level -> body and query parsed -> handler -> answer.
// Nothing of the body is read before the token and the level are accepted.
import { isIP, type Socket } from "node:net";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { Caller } from "#core/access/caller.ts";
import { AppError, refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import { createAuthenticate } from "#http/authenticate.ts";
import { compileBody } from "#http/body.ts";
import { createApp, LIMITS, type Limits } from "#http/create-app.ts";
import { createMetrics } from "#http/metrics.ts";
import { problemOf } from "#http/problem.ts";
import { parseQuery } from "#http/query.ts";
import { RawAnswer, type Route, StreamAnswer } from "#http/route.ts";
import { SECURITY_HEADERS } from "#http/security-headers.ts";
import type { Authenticator } from "#service/access/authenticator.ts";
import { requireLevel } from "#service/access/require-level.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import type { DeviceHost } from "#service/ports/device-host.ts";
import type { DeviceStore } from "#service/ports/device-store.ts";
import type { Needs } from "#service/ports.ts";
import type { TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";

const PREFIXES = ["", "/api"];

export interface ServerNeeds extends Pick<Needs, "now" | "newId" | "audit"> {
  readonly devices: Pick<DeviceStore, "find" | "findBySlug">;
  readonly authenticator: Authenticator;
  readonly telemetryCounter: Pick<TelemetryCounter, "read">;
  readonly log: Logger;
  readonly hosts: Pick<DeviceHost, "states">;
}

export interface ServerSettings {
  readonly headerPrefixes: readonly string[];
  readonly wrongTokenLimit: number;
  readonly trustProxy: boolean | readonly string[];
  readonly metricsPublic: boolean;
  readonly limits?: Partial<Limits>;
}

export interface Server {
  listen(port: number, host: string): Promise<{ readonly port: number }>;
  /** Finishes what runs, refuses what is new, and after at most 10 s cuts off what is left. */
  stop(): Promise<void>;
}

export async function createServer(
  needs: ServerNeeds,
  settings: ServerSettings,
  routes: readonly Route[],
): Promise<Server> {
  const authenticate = createAuthenticate(needs, settings);
  const metrics = createMetrics(needs, settings);
  const stopping = new AbortController();
  const limits = { ...LIMITS, ...settings.limits };
  const app = createApp({
    newId: needs.newId,
    trustProxy: settings.trustProxy,
    limits,
    refuse: (error, request, reply) => void sendProblem(needs, request, { reply, error: translate(error) }),
  });

  // Hooks that run on every call take a callback: an async function would cost a turn of the microtask queue each.
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id).headers(SECURITY_HEADERS);
    const { headers, httpVersion } = request.raw;
    if (stopping.signal.aborted) {
      reply.header("connection", "close");
      return done(refuse("shutting_down", "the service is stopping; try again in a moment"));
    }
    if (headers.host === undefined && httpVersion === "1.1") {
      return done(refuse("invalid_request", "the request has no Host header"));
    }
    // A content type that makes no sense says nothing, so it counts as none.
    if (headers["content-type"] !== undefined && request.mediaType === undefined) delete headers["content-type"];
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    metrics.observe(request, reply);
    done();
  });
  app.setErrorHandler(async (error, request, reply) => sendProblem(needs, request, { reply, error: translate(error) }));
  app.setNotFoundHandler(async (request, reply) => {
    const message = `no operation answers ${request.method} ${pathOf(request.url)}; /docs lists them all`;
    return sendProblem(needs, request, { reply, error: refuse("route_not_found", message) });
  });

  for (const route of [...routes, metrics.route]) {
    for (const prefix of PREFIXES) {
      const registration = { prefix, authenticate, stopping: stopping.signal, stallMs: limits.stallMs };
      if (route.streamsBody !== true) register(app, route, registration);
      else void app.register(async (scope) => register(takeStreams(scope), route, registration));
    }
  }
  await app.ready();

  // Browsers and clients open connections ahead of need. Node does not count one as idle before its first request.
  const unused = new Set<Socket>();
  app.server.on("connection", (socket: Socket) => {
    unused.add(socket);
    socket.once("close", () => unused.delete(socket));
  });
  app.server.on("request", ({ socket }: { readonly socket: Socket }) => unused.delete(socket));

  return {
    async listen(port, host) {
      await app.listen({ port, host });
      const address = app.server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    async stop() {
      stopping.abort();
      const cut = setTimeout(() => app.server.closeAllConnections(), limits.stopMs);
      // A connection whose last answer did not say that it closes falls idle and would hold up the stop.
      const closeIdle = () => {
        app.server.closeIdleConnections();
        for (const socket of unused) if (socket.bytesRead === 0) socket.destroy();
      };
      closeIdle();
      const idle = setInterval(closeIdle, 100);
      await app.close();
      clearTimeout(cut);
      clearInterval(idle);
    },
  };
}

/** Bodies are handed over unread, so nothing limits them but the time that a request may take. */
function takeStreams(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
  return scope;
}

interface Registration {
  readonly prefix: string;
  readonly authenticate: ReturnType<typeof createAuthenticate>;
  readonly stopping: AbortSignal;
  readonly stallMs: number;
}

const callers = new WeakMap<FastifyRequest, Caller>();
const NOBODY: Caller = { tokenId: "", tokenName: "", level: "readonly", sites: new Set() };

function register(app: FastifyInstance, route: Route, { prefix, authenticate, stopping, stallMs }: Registration): void {
  const { access } = route;
  const operation = route.aliasOf ?? route.operation;
  const schema = route.body;
  const takesBytes = Array.isArray(schema);
  const parseBody =
    schema === undefined || takesBytes ? undefined : compileBody(schema as Exclude<typeof schema, readonly string[]>);
  app.route({
    method: route.method,
    url: prefix + route.path,
    config: { operation },
    onRequest: (request, _reply, done) => {
      if (access === "public") return done();
      const accept = (caller: Caller) => {
        callers.set(request, caller);
        requireLevel(caller, access);
      };
      try {
        const found = authenticate(request.raw.headers, request.ip);
        if (found instanceof Promise) found.then(accept).then(() => done(), done);
        else {
          accept(found);
          done();
        }
      } catch (error) {
        done(error as Error);
      }
    },
    handler: async (request, reply) => {
      const raw = request.body as Uint8Array | undefined;
      const answer = await route.handle({
        caller: callers.get(request) ?? NOBODY,
        operation,
        requestId: request.id,
        remoteAddress: request.ip,
        params: request.params as Record<string, string>,
        query: parseQuery(route.query ?? {}, request.query as Record<string, unknown>),
        body: parseBody === undefined ? (takesBytes ? (raw ?? new Uint8Array()) : undefined) : parseBody(raw),
        header: (name) => {
          const value = request.headers[name];
          return Array.isArray(value) ? value[0] : value;
        },
        contentType: request.headers["content-type"] ?? "",
        host: () => hostOf(request),
        forwarded: request.headers["x-forwarded-for"] !== undefined || request.headers.forwarded !== undefined,
        signal: stopping,
      });
      if (stopping.aborted) reply.header("connection", "close");
      if (answer instanceof StreamAnswer) cutWhenStalled(reply, stallMs);
      return send(reply, 200, answer);
    },
  });
}

function send(reply: FastifyReply, status: number, answer: object): FastifyReply {
  if (answer instanceof RawAnswer) {
    return reply
      .code(status)
      .headers(answer.headers)
      .header("content-type", answer.contentType)
      .send(typeof answer.content === "string" ? Buffer.from(answer.content) : viewOf(answer.content));
  }
  if (answer instanceof StreamAnswer) {
    return reply.code(status).headers(answer.headers).header("content-type", answer.contentType).send(answer.stream);
  }
  return reply.code(status).header("content-type", "application/json").serializer(asItIs).send(JSON.stringify(answer));
}

/** Whoever asks for a long answer and does not read it would hold its place for ever. A server that takes its time is no stall. */
function cutWhenStalled({ raw }: FastifyReply, stallMs: number): void {
  raw.setTimeout(stallMs, () => {
    if (raw.writableNeedDrain) raw.destroy();
    else raw.setTimeout(stallMs);
  });
}

/** The same bytes, not a copy of them. */
function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/**
 * With a serializer of our own Fastify leaves the content type alone; else it adds a charset, which some clients refuse.
 * And text leaves in one write together with the headers, where bytes would take two: half the cost of a small answer.
 */
const asItIs = (text: unknown) => text as string;

interface Failure {
  readonly reply: FastifyReply;
  readonly error: unknown;
}

async function sendProblem(
  needs: ServerNeeds,
  request: FastifyRequest,
  { reply, error }: Failure,
): Promise<FastifyReply> {
  const problem = problemOf(error);
  if (problem.status === 500) needs.log.error({ requestId: request.id, err: error }, "a fault in Busbar");
  if (error instanceof AppError && error.code.startsWith("storage_")) {
    needs.log.error({ requestId: request.id, code: error.code, err: error.cause }, "the store refused a call");
  }
  if (error instanceof AppError && (error.code === "unauthorized" || error.code === "forbidden")) {
    await recordRefusal(needs, request, error);
  }
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  return send(reply, problem.status, problem.body);
}

async function recordRefusal(needs: ServerNeeds, request: FastifyRequest, error: AppError): Promise<void> {
  const caller = callers.get(request);
  const params = (request.params ?? {}) as Readonly<Record<string, string | undefined>>;
  // Named by its site too, so that the site's own people find the entry.
  const device = caller && (await seenDevice(needs, caller, params["device_id"]));
  const siteId = params["site_id"] ?? device?.siteId;
  const deviceId = device?.id ?? params["device_id"];
  const entry = {
    id: needs.newId(),
    at: needs.now(),
    actor: caller && { tokenId: caller.tokenId, name: caller.tokenName },
    action: (request.routeOptions.config as { operation?: string }).operation ?? "unknown",
    target: {
      ...(siteId !== undefined && { siteId }),
      ...(deviceId !== undefined && { deviceId }),
      ...(params["token_id"] !== undefined && { tokenId: params["token_id"] }),
    },
    outcome: "REFUSED" as const,
    code: error.code,
    requestId: request.id,
    remoteAddress: isIP(request.ip) === 0 ? "unknown" : request.ip,
    details: { message: error.message },
  };
  try {
    await needs.audit.append([entry]);
  } catch (failure) {
    needs.log.error({ requestId: request.id, err: failure }, "a refused call could not be written to the audit log");
  }
}

async function seenDevice(
  needs: ServerNeeds,
  caller: Caller,
  idOrSlug: string | undefined,
): Promise<Device | undefined> {
  if (idOrSlug === undefined) return undefined;
  try {
    return await visibleDevice(needs, { caller }, idOrSlug);
  } catch {
    return undefined;
  }
}

/** Fastify's own refusals, in our words. Anything unknown stays what it is: a fault. */
function translate(error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return refuse("body_too_large", "the body is larger than 1 MiB");
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_BAD_URL":
    case "FST_ERR_MAX_PARAM_LENGTH":
    case "ECONNRESET":
      return refuse("invalid_request", "the request breaks HTTP: its path, length or content type makes no sense");
    default:
      return error;
  }
}

function hostOf(request: FastifyRequest): { readonly name: string; readonly port: number } {
  const { hostname, port, socket, protocol } = request;
  return { name: hostname || (socket.localAddress ?? "127.0.0.1"), port: port ?? (protocol === "https" ? 443 : 80) };
}

function pathOf(url: string): string {
  const path = url.split("?", 1)[0] ?? url;
  return path.length > 100 ? `${path.slice(0, 100)}...` : path;
}
