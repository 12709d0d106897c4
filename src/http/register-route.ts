// One route as Fastify serves it: token and level, then body and query, then the handler. Nothing of the body is read before
// the token and the level are accepted.
import type { ServerResponse } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createAbortWatch } from "#core/abort-watch.ts";
import type { Caller } from "#core/access/caller.ts";
import { AppError } from "#core/app-error.ts";
import type { Leave } from "#core/share/fair-share.ts";
import { type Authenticate, isSecure } from "#http/authenticate.ts";
import type { CountUnread } from "#http/bound-unread.ts";
import { type CompressAnswer, mayCompress } from "#http/compress-answers.ts";
import { doorOfRequest } from "#http/door-of-request.ts";
import { sendLateAnswer } from "#http/late-answer.ts";
import type { MainThreadShare } from "#http/main-thread-share.ts";
import { cameOverProxy } from "#http/proxy-headers.ts";
import type { Route } from "#http/route.ts";
import { requireOwnPage } from "#http/same-origin.ts";
import { sendAnswer, sendList } from "#http/send-answer.ts";
import type { TokenHeaders } from "#http/token-headers.ts";
import { traceOf } from "#http/trace-calls.ts";
import type { WebSockets } from "#http/web-sockets.ts";
import { LateAnswer } from "#service/operation/answer.ts";
import { compileBody } from "#service/operation/body.ts";
import type { TakePlace } from "#service/operation/call-places.ts";
import { ListAnswer } from "#service/operation/list-answer.ts";
import { requireSomewhere } from "#service/operation/narrow-call.ts";
import { parseQuery } from "#service/operation/query.ts";
import { freeBytes } from "#tuning/free-bytes.ts";

interface Registration {
  readonly prefix: string;
  readonly authenticate: Authenticate;
  readonly tokenHeaders: Pick<TokenHeaders, "prefixOf">;
  readonly stopping: AbortSignal;
  /** Whether each answer ends its connection. */
  readonly isClosing: () => boolean;
  readonly mainThread: MainThreadShare;
  /** The places of calls that change something. */
  readonly changing: TakePlace;
  readonly webSockets: WebSockets;
  /** Undefined: answers are sent as they are. */
  readonly compress: CompressAnswer | undefined;
  readonly late: {
    readonly renderFailure: (request: FastifyRequest, error: unknown) => object;
    readonly countUnread: CountUnread;
  };
}

declare module "fastify" {
  interface FastifyRequest {
    /** Undefined until a token is accepted. */
    caller: Caller | undefined;
  }
}

interface Served {
  readonly caller: Caller;
  readonly leave: Leave | undefined;
}

type AnyCall = Parameters<Route["run"]>[0];

/** A larger body that is refused is not read a second time. */
const MAX_REREAD_BYTES = 64 * 1024;

const NOBODY: Caller = { tokenId: "", tokenName: "", level: "readonly", sites: new Set() };

export function registerRoute(app: FastifyInstance, route: Route, registration: Registration): void {
  if (route.streamsBody !== true) register(app, route, registration);
  else void app.register(async (scope) => register(takeStreams(scope), route, registration));
}

/** Bodies are passed on unread, so nothing limits them but the time that a request may take. */
function takeStreams(scope: FastifyInstance): FastifyInstance {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, body, done) => done(null, body));
  return scope;
}

function register(app: FastifyInstance, route: Route, registration: Registration): void {
  const { prefix, authenticate, tokenHeaders, stopping, isClosing, mainThread, changing, late, webSockets, compress } =
    registration;
  const { level: access } = route;
  const operation = route.aliasOf ?? route.name;
  const schema = route.body;
  const takesBytes = Array.isArray(schema);
  const parseBody =
    schema === undefined || takesBytes ? undefined : compileBody(schema as Exclude<typeof schema, readonly string[]>);
  /** The bytes are not needed once they are parsed or refused. */
  function parsed(request: FastifyRequest): unknown {
    const raw = request.body as Uint8Array | undefined;
    try {
      return parseBody?.(raw);
    } catch (error) {
      throw withMistakesIn(route, raw, error);
    } finally {
      request.body = undefined;
      if (raw !== undefined) freeBytes(raw);
    }
  }
  function parsedQuery(request: FastifyRequest): AnyCall["query"] {
    try {
      return parseQuery(route.query ?? {}, request.query as Record<string, unknown>);
    } catch (error) {
      throw together(
        error,
        failureOf(() => parsed(request)),
      );
    }
  }
  function callOf(request: FastifyRequest, reply: FastifyReply, { caller, leave }: Served): AnyCall {
    const raw = request.body as Uint8Array | undefined;
    let signal: AbortSignal | undefined;
    const call = {
      caller,
      operation,
      requestId: request.id,
      remoteAddress: request.ip,
      door: route.ownPageOnly === true ? "page" : doorOfRequest(request, caller),
      trace: traceOf(request),
      params: request.params as Record<string, string>,
      query: parsedQuery(request),
      body: parseBody === undefined ? (takesBytes ? (raw ?? new Uint8Array()) : undefined) : parsed(request),
      header: (name: string) => {
        const value = request.headers[name];
        return Array.isArray(value) ? value[0] : value;
      },
      headerPrefix: () => tokenHeaders.prefixOf(request.headers),
      contentType: request.headers["content-type"] ?? "",
      host: () => hostOf(request),
      isSecure: () => isSecure(request),
      forwarded: () => cameOverProxy(request.headers),
      // Created on demand: few handlers use it. It is no getter: an object with a getter of its own costs a tenth of a call
      // more, because it and all that the call has made outlive it.
      signal: () => {
        signal ??= endOfCall(reply.raw, stopping);
        return signal;
      },
      stored: () => {
        call.body = undefined;
        request.giveBodyBack?.();
        leave?.();
      },
    };
    return call;
  }
  app.route({
    method: route.method,
    url: prefix + route.path,
    config: { operation },
    ...(compress !== undefined && mayCompress(route) && { onSend: compress }),
    onRequest: (request, reply, done) => {
      const accept = (caller: Caller) => {
        request.caller = caller;
        if (access !== "public") requireSomewhere({ caller }, access);
      };
      try {
        if (route.ownPageOnly === true) requireOwnPage(request);
        if (access === "public") return done();
        const found = authenticate(request, reply);
        if (found instanceof Promise) found.then(accept).then(() => done(), done);
        else {
          accept(found);
          done();
        }
      } catch (error) {
        done(error as Error);
      }
    },
    handler: (request, reply) =>
      mainThread.serve(request, async () => {
        const caller = request.caller ?? NOBODY;
        if (route.live !== undefined && webSockets.isAskedFor(request)) {
          const messages = await route.live(callOf(request, reply, { caller, leave: undefined }));
          await webSockets.open(request, reply, messages);
          return reply;
        }
        if (route.link !== undefined && webSockets.isAskedFor(request)) {
          const link = await route.link(callOf(request, reply, { caller, leave: undefined }));
          await webSockets.openLink(request, reply, link);
          return reply;
        }
        const leave = route.method === "GET" ? undefined : changing({ caller, remoteAddress: request.ip });
        let answer: object;
        try {
          answer = await route.run(callOf(request, reply, { caller, leave }));
        } finally {
          leave?.();
          if (takesBytes && request.body instanceof Uint8Array) freeBytes(request.body);
        }
        if (isClosing()) reply.header("connection", "close");
        if (answer instanceof ListAnswer) {
          const list = answer;
          const nextTurn = () => mainThread.nextTurn(request);
          // What a thread has read comes outside of the turn in which the call was served.
          return await mainThread.serve(request, async () => sendList(reply, list, nextTurn));
        }
        if (!(answer instanceof LateAnswer)) return sendAnswer(reply, 200, answer);
        const needs = {
          renderFailure: (error: unknown) => late.renderFailure(request, error),
          countUnread: (bytes: number) => late.countUnread(request, reply, bytes),
        };
        return await sendLateAnswer(needs, reply, answer);
      }),
  });
}

/** What the route finds in a body that its schema refused, besides what the schema found. */
function withMistakesIn({ moreMistakes }: Route, raw: Uint8Array | undefined, error: unknown): unknown {
  const isMistaken = error instanceof AppError && error.code === "invalid_body";
  if (!isMistaken || moreMistakes === undefined || raw === undefined || raw.length > MAX_REREAD_BYTES) return error;
  const places = new Set(error.refusals.map(({ details }) => details?.["pointer"]));
  const more = moreMistakes(JSON.parse(Buffer.from(raw).toString()));
  return new AppError([...error.refusals, ...more.filter(({ details }) => !places.has(details?.["pointer"]))]);
}

function failureOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** One refusal for the mistakes of both. */
function together(one: unknown, other: unknown): unknown {
  if (!(one instanceof AppError && other instanceof AppError)) return one;
  return new AppError([...one.refusals, ...other.refusals]);
}

const watchAbort = createAbortWatch();

/** Aborted when the client disconnects before its answer was written, or when the server stops. */
function endOfCall(response: ServerResponse, stopping: AbortSignal): AbortSignal {
  const end = new AbortController();
  const abort = () => end.abort();
  if (stopping.aborted || response.closed) abort();
  else {
    const leave = watchAbort.on(stopping, abort);
    response.once("close", () => {
      leave();
      if (!response.writableFinished) abort();
    });
  }
  return end.signal;
}

function hostOf(request: FastifyRequest): { readonly name: string; readonly port: number } {
  const { hostname, port, socket, protocol } = request;
  return { name: hostname || (socket.localAddress ?? "127.0.0.1"), port: port ?? (protocol === "https" ? 443 : 80) };
}
