import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type FakeRequest = {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
};

export type FakeAnswer = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is text, bytes, or texts that come one after the other. */
  readonly body: unknown;
};

export type FakeBusbar = {
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  readonly stop: () => Promise<void>;
};

/** Answers by `METHOD /path`, query left out; what is not listed is a 404 like the real one's. */
export async function startFakeBusbar(
  routes: Readonly<Record<string, (request: FakeRequest, query: URLSearchParams) => FakeAnswer | "hang" | "cut">>,
): Promise<FakeBusbar> {
  const requests: FakeRequest[] = [];
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url: target = "", headers } = incoming;
    const request = { method, target, headers, body: Buffer.concat(chunks) };
    requests.push(request);
    const { pathname, searchParams } = new URL(target, "http://fake");
    const answer = routes[`${method} ${pathname}`]?.(request, searchParams) ?? missing;
    if (answer === "hang") return;
    if (answer === "cut") {
      outgoing.destroy();
      return;
    }
    if (isSequence(answer.body)) {
      outgoing.writeHead(answer.status ?? 200, { "Content-Type": "text/event-stream" });
      for await (const text of answer.body) outgoing.write(text);
      outgoing.end();
      return;
    }
    const isBytes = answer.body instanceof Uint8Array;
    outgoing.writeHead(answer.status ?? 200, {
      "Content-Type": isBytes ? "application/zip" : "application/json",
      "X-Request-Id": "request-1",
      ...answer.headers,
    });
    outgoing.end(isBytes ? answer.body : typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body));
  };
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function isSequence(body: unknown): body is AsyncIterable<string> {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

const missing: FakeAnswer = {
  status: 404,
  body: { errors: [{ code: "not_found", message: "there is no such thing" }] },
};
