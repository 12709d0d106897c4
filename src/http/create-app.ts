// Fastify with our limits. Refusals that Fastify or Node make on their own, before there is a request, are answered
// here in the same form as every other refusal.
import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { boundPipelining, type Pipelines } from "#http/bound-pipelining.ts";
import { readBody } from "#http/read-body.ts";
import { createRefuseBroken, type RefuseBroken } from "#http/refuse-broken.ts";
import { createRequestIds } from "#http/request-id.ts";
import { SECURITY_HEADERS } from "#http/security-headers.ts";
import { wantsWebSocket } from "#http/web-sockets.ts";

export const BODY_LIMIT = 1024 * 1024;
/** Longer than any id or slug, so a longer one is simply unknown, and short enough to cost nothing. */
const MAX_PARAM_LENGTH = 500;

/** How long a client may take, in milliseconds, before it is cut off, and how many connections there may be. */
export interface Limits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  readonly headersMs: number;
  readonly requestMs: number;
  readonly idleMs: number;
  /** For a client that reads nothing of an answer that waits for it. */
  readonly stallMs: number;
  /** How often slow clients are searched for. */
  readonly checkEveryMs: number;
  /** From the stop on. */
  readonly stopMs: number;
}

export const LIMITS: Omit<Limits, "connectionsPerAddress"> = {
  connections: 10_000,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 72_000,
  stallMs: 60_000,
  checkEveryMs: 5_000,
  stopMs: 10_000,
};

interface AppNeeds {
  readonly newId: () => string;
  readonly trustProxy: boolean | readonly string[];
  readonly limits: Limits;
  readonly refuse: (error: unknown, request: FastifyRequest, reply: FastifyReply) => void;
}

export interface App {
  readonly app: FastifyInstance;
  readonly pipelines: Pipelines;
}

export function createApp(needs: AppNeeds): App {
  const { limits } = needs;
  let refuseBroken: RefuseBroken = (socket) => void socket.destroy();
  const app = Fastify({
    bodyLimit: BODY_LIMIT,
    genReqId: createRequestIds(),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    trustProxy: typeof needs.trustProxy === "boolean" ? needs.trustProxy : [...needs.trustProxy],
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleMs,
    forceCloseConnections: "idle",
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      reply.headers(SECURITY_HEADERS).header("x-request-id", request.id);
      needs.refuse(error, request, reply as FastifyReply);
    },
    http: {
      headersTimeout: limits.headersMs,
      connectionsCheckingInterval: limits.checkEveryMs,
      maxHeaderSize: 16_384,
      shouldUpgradeCallback: wantsWebSocket,
      // Node would refuse a missing Host without a message.
      requireHostHeader: false,
    },
    clientErrorHandler: (error, socket) => refuseBroken(socket, String(error.code ?? "malformed")),
  });
  const pipelines = boundPipelining(app.server);
  refuseBroken = createRefuseBroken({ newId: needs.newId, pipelines });
  app.decorateRequest("caller", undefined);
  app.server.on("connect", (_request, socket: Duplex) => refuseBroken(socket.resume(), "CONNECT is for proxies"));
  // An Expect header that Busbar does not know does not change the answer.
  app.server.on("checkExpectation", (request, response: ServerResponse) =>
    app.server.emit("request", request, response),
  );
  // Every body arrives as bytes, whatever its content type says: the route decides how to read it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, pieces, done) => {
    readBody(pieces, { announced: Number(request.headers["content-length"]), limit: BODY_LIMIT }, done);
  });
  return { app, pipelines };
}
