// Kept-alive HTTP connections at the least cost, because the generator shares two cores with what it measures:
// requests are made once as bytes, and of an answer only its length is parsed.
import { connect, type Socket } from "node:net";

export interface HttpConnection {
  /** One request at a time; gives the whole answer as text. */
  send(request: Buffer): Promise<string>;
  close(): void;
}

export async function openHttp(port: number): Promise<HttpConnection> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  return overSocket(socket);
}

function overSocket(socket: Socket): HttpConnection {
  let waiting: { readonly resolve: (answer: string) => void; readonly reject: (error: Error) => void } | undefined;
  let seen = "";
  const fail = (error: Error) => waiting?.reject(error);
  socket.setEncoding("latin1");
  socket.on("error", fail);
  socket.on("close", () => fail(new Error("the connection was closed")));
  socket.on("data", (part: string) => {
    seen = seen === "" ? part : seen + part;
    const head = seen.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(seen)?.[1] ?? Number.NaN);
    if (seen.length < head + 4 + length) return;
    const answer = seen;
    seen = "";
    waiting?.resolve(answer);
  });
  return {
    send(request) {
      return new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      });
    },
    close: () => void socket.destroy(),
  };
}

/** A POST with this body, as bytes. */
export function postBytes(path: string, headers: Readonly<Record<string, string>>, body: string): Buffer {
  const lines = Object.entries({ Host: "127.0.0.1", ...headers, "Content-Type": "application/json" });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    "latin1",
  );
}
