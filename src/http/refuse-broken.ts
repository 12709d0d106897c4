// What Node finds wrong with a connection by itself: bytes that are no HTTP, and requests that do not arrive in time. A
// client takes whatever comes on a connection as the answer to its next request. So an answer is sent only for a request
// that has begun to arrive, and after the answers to all requests before it.
import type { Duplex } from "node:stream";
import type { Pipelines } from "#http/bound-pipelining.ts";
import { refuseSocket, type SocketRefusal } from "#http/refuse-socket.ts";

export interface BrokenNeeds {
  readonly newId: () => string;
  readonly pipelines: Pipelines;
}

/** `reason` is the code of Node's error. Nothing more is read from the connection afterwards. */
export type RefuseBroken = (socket: Duplex, reason: string) => void;

const TIMEOUT = "ERR_HTTP_REQUEST_TIMEOUT";

export function createRefuseBroken({ newId, pipelines }: BrokenNeeds): RefuseBroken {
  /** Node reports every further byte of a broken connection as an error of its own. */
  const refused = new WeakSet<Duplex>();
  return (socket, reason) => {
    if (refused.has(socket) || socket.destroyed) return;
    refused.add(socket);
    if (reason === TIMEOUT && hasSentNothing(socket)) return void socket.destroy();
    const answer = () => refuseSocket(socket, refusalOf(reason, newId()));
    const serving = pipelines.serving(socket);
    // The body of this request broke off: the refusal is its answer, unless another one has begun.
    if (serving === undefined || serving.request.complete) pipelines.afterAnswers(socket, answer);
    else if (serving.response.headersSent) socket.destroy();
    else answer();
  };
}

/** A connection that was opened ahead of need, as browsers do. Over TLS only what was encrypted counts. */
function hasSentNothing(socket: Duplex & { readonly bytesRead?: number }): boolean {
  return socket.bytesRead === 0;
}

function refusalOf(reason: string, requestId: string): SocketRefusal {
  if (reason === TIMEOUT) {
    const message = "the request did not arrive in time: its headers have 10 s, the whole request 30 s";
    return { status: "408 Request Timeout", code: "request_timeout", message, requestId };
  }
  const message = `the request breaks HTTP or one of its limits (${reason})`;
  return { status: "400 Bad Request", code: "invalid_request", message, requestId };
}
