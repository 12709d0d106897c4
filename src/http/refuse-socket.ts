import type { Duplex } from "node:stream";
import type { ErrorCode } from "#core/app-error.ts";

/** Time for a client to read the refusal and close the connection itself. */
const LINGER_MS = 1_000;

export interface SocketRefusal {
  readonly status: "400 Bad Request" | "408 Request Timeout" | "503 Service Unavailable";
  readonly code: ErrorCode;
  readonly message: string;
  readonly requestId: string;
}

/**
 * Answers on a socket without a request, and closes it for good: a client that leaves its own end open keeps nothing.
 * With `atOnce` the connection closes as soon as the answer is written.
 */
export function refuseSocket(socket: Duplex, refusal: SocketRefusal, atOnce = false): void {
  if (socket.destroyed || !socket.writable) return;
  const body = JSON.stringify({ errors: [{ code: refusal.code, message: refusal.message }] });
  const retry = refusal.status.startsWith("503") ? "Retry-After: 1\r\n" : "";
  const head = `Content-Type: application/json\r\nX-Request-Id: ${refusal.requestId}\r\n${retry}Content-Length: ${Buffer.byteLength(body)}`;
  const close = () => socket.destroy();
  socket.end(`HTTP/1.1 ${refusal.status}\r\n${head}\r\nConnection: close\r\n\r\n${body}`, atOnce ? close : undefined);
  const late = setTimeout(close, LINGER_MS).unref();
  socket.once("close", () => clearTimeout(late));
}
