import { once } from "node:events";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";

export interface SeenSocket {
  readonly socket: WebSocket;
  /** The next message that was not taken yet, as JSON. */
  next(): Promise<Readonly<Record<string, unknown>>>;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

/** Opens a WebSocket and listens until the test ends. */
export async function openSocket(url: string, headers: Readonly<Record<string, string>>): Promise<SeenSocket> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  const seen: Readonly<Record<string, unknown>>[] = [];
  const waiting: ((message: Readonly<Record<string, unknown>>) => void)[] = [];
  socket.on("message", (data, isBinary) => {
    if (isBinary) throw new Error("messages are text");
    const message = JSON.parse(String(data)) as Readonly<Record<string, unknown>>;
    const waiter = waiting.shift();
    if (waiter === undefined) seen.push(message);
    else waiter(message);
  });
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  return {
    socket,
    closed,
    next: () => {
      const message = seen.shift();
      return message === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(message);
    },
  };
}

/** The plain answer to a request for a WebSocket that is refused. */
export function refusedSocket(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly body: unknown; readonly requestId: string | undefined }> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers });
  return new Promise((resolve, reject) => {
    socket.on("open", () => {
      socket.terminate();
      reject(new Error("it was not refused"));
    });
    socket.on("error", () => {});
    socket.on("unexpected-response", (_call, answer) => {
      let text = "";
      answer.on("data", (piece) => (text += String(piece)));
      answer.on("end", () => {
        const requestId = answer.headers["x-request-id"];
        resolve({ status: answer.statusCode, body: JSON.parse(text), requestId: requestId?.toString() });
      });
    });
  });
}
