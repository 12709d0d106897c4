// HTTP written by hand, for what no client library would send.
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends the bytes and reads until the server closes the connection. */
export async function sendRaw(port: number, request: string | Uint8Array): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const parts: Buffer[] = [];
  socket.on("data", (part) => parts.push(part));
  // A server that cuts off a client mid-send resets the connection; what arrived before counts.
  const closed = new Promise<void>((resolve) => {
    socket.on("close", () => resolve());
    socket.on("error", () => resolve());
  });
  socket.write(request);
  await closed;
  return Buffer.concat(parts).toString("utf8");
}

/** The first answer in what came back. */
export function parseRaw(text: string): RawAnswer {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [statusLine = "", ...lines] = head.split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [line.split(":")[0] ?? "", line.replace(/^[^:]*:\s*/, "")]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, text: rest.join("\r\n\r\n") };
}
