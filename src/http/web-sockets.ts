// WebSockets on the paths of routes that have something live. A request to upgrade runs through the same hooks as every
// other call, so its token, level, site and limits are checked before anything is read, and a refusal is a plain answer.
// Clients only listen: what they send is not used, and a client that goes on sending is cut off.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ServerOptions, WebSocket, WebSocketServer } from "ws";
import type { BoundConnections } from "#http/bound-connections.ts";
import type { Pipelines } from "#http/bound-pipelining.ts";
import { refuseSocket } from "#http/refuse-socket.ts";
import type { LinkServer } from "#http/route.ts";
import { LINK_SOCKET_SETTINGS, webSocketLink } from "#service/link/web-socket-link.ts";
import { ServerResponse } from "#tuning/plain-http.ts";

const HEARTBEAT_MS = 15_000;
/** Signs of life that a client may send between two of ours. */
const MAX_PINGS = 100;
const [GOING_AWAY, POLICY, TRY_AGAIN] = [1001, 1008, 1013];
const SETTINGS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  // Clients have nothing to say, so nobody needs more.
  maxPayload: 4_096,
  maxFragments: 16,
  maxBufferedChunks: 64,
  // A client that does not read must not make us hold pongs for it.
  autoPong: false,
  closeTimeout: 1_000,
} satisfies ServerOptions & Record<string, unknown>;

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

export interface WebSockets {
  isAskedFor(request: FastifyRequest): boolean;
  /** Sends the messages until they end or the client leaves. A text among them is the reason for the end. */
  open(request: FastifyRequest, reply: FastifyReply, messages: Readable): Promise<void>;
  /** Opens a connection on which both sides speak. */
  openLink(request: FastifyRequest, reply: FastifyReply, link: LinkServer): Promise<void>;
}

/** Only such requests reach the event "upgrade". Other protocols are not offered, and the request counts as a plain one. */
export function wantsWebSocket({ method, headers }: Pick<IncomingMessage, "method" | "headers">): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

interface WebSocketNeeds {
  /** How long a plain answer to such a request may wait for its client. */
  readonly stallMs: number;
  readonly pipelines: Pick<Pipelines, "afterAnswers">;
  readonly signedIn: BoundConnections["signedIn"];
}

export function createWebSockets(app: FastifyInstance, { stallMs, pipelines, signedIn }: WebSocketNeeds): WebSockets {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  // Most gateways never see a WebSocket, so the library is loaded with the first one.
  let accepting: Promise<WebSocketServer> | undefined;
  let acceptingLinks: Promise<WebSocketServer> | undefined;
  const load = async (settings: ServerOptions) => new (await import("ws")).WebSocketServer(settings);

  app.server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // Node has stopped to watch this socket.
    socket.on("error", () => socket.destroy());
    // Node lets a socket have one answer at a time.
    pipelines.afterAnswers(socket, () => {
      socket.setTimeout(stallMs, () => socket.destroy());
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket);
      response.once("finish", () => socket.end());
      upgrades.set(request, { socket, head });
      app.server.emit("request", request, response);
    });
  });

  /** Undefined when the request was refused, or its client has gone. */
  async function accept(
    { raw, id }: FastifyRequest,
    reply: FastifyReply,
    loading: Promise<WebSocketServer>,
  ): Promise<WebSocket | undefined> {
    const upgrade = upgrades.get(raw);
    if (upgrade === undefined) throw new Error("the request asks for no WebSocket");
    const { socket, head } = upgrade;
    reply.hijack();
    reply.raw.statusCode = 101;
    const server = await loading;
    const problem = handshakeProblem(raw);
    if (problem !== undefined || socket.destroyed) {
      const refusal = { status: "400 Bad Request", code: "invalid_request", message: problem ?? "" } as const;
      refuseSocket(socket, { ...refusal, requestId: id });
      return undefined;
    }
    server.once("headers", (headers) => headers.push(`X-Request-Id: ${id}`));
    const { promise, resolve } = Promise.withResolvers<WebSocket>();
    server.handleUpgrade(raw, socket, head, resolve);
    return await promise;
  }

  return {
    isAskedFor: ({ raw }) => upgrades.has(raw),
    async open(request, reply, messages) {
      upgrades.get(request.raw)?.socket.once("close", () => void messages.destroy());
      accepting ??= load(SETTINGS);
      const client = await accept(request, reply, accepting);
      if (client === undefined) messages.destroy();
      else sendMessages(client, messages);
    },
    async openLink(request, reply, { who, serve }) {
      const socket = upgrades.get(request.raw)?.socket;
      if (socket !== undefined) signedIn(socket, who);
      acceptingLinks ??= load({ ...SETTINGS, ...LINK_SOCKET_SETTINGS, autoPong: true });
      const client = await accept(request, reply, acceptingLinks);
      if (client !== undefined) serve(webSocketLink(client));
    },
  };
}

/** Checked here, so that the answer has our form. */
function handshakeProblem({ headers }: IncomingMessage): string | undefined {
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers["sec-websocket-key"] ?? "")) {
    return "a WebSocket needs the header Sec-WebSocket-Key: 16 random bytes in base64";
  }
  if (headers["sec-websocket-version"] !== "13") return "a WebSocket needs the header Sec-WebSocket-Version: 13";
  // Subprotocols and extensions are not offered; what the client would like of them does not matter.
  delete headers["sec-websocket-protocol"];
  delete headers["sec-websocket-extensions"];
  return undefined;
}

function sendMessages(client: WebSocket, messages: Readable): void {
  let isAlive = true;
  let pings = 0;
  const beat = setInterval(() => {
    if (!isAlive) return client.terminate();
    isAlive = false;
    pings = 0;
    client.ping();
  }, HEARTBEAT_MS);
  client.once("close", () => clearInterval(beat));
  client.on("error", () => client.terminate());
  client.on("pong", () => (isAlive = true));
  client.on("ping", (data) => {
    isAlive = true;
    if (++pings > MAX_PINGS) client.terminate();
    else if (client.bufferedAmount === 0) client.pong(data);
  });
  client.on("message", () => client.close(POLICY, "this stream takes no messages"));
  // One message at a time, the next one when the system has taken this one: a slow client holds nothing here.
  messages.on("data", (message: Buffer | string) => {
    if (typeof message === "string") return client.close(TRY_AGAIN, message);
    messages.pause();
    client.send(message, { binary: false }, (error) => {
      if (error) messages.destroy();
      else messages.resume();
    });
  });
  messages.once("end", () => client.close(GOING_AWAY, "the stream has ended"));
  messages.once("error", () => client.terminate());
}
