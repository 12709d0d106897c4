// A receiver of webhooks: a real HTTP server that keeps what it gets.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** How the next requests are answered; 200 unless set. */
  answer: (response: ServerResponse, path: string) => void;
  /** The first request, past or to come, that fits; each is given once. */
  next(fits?: (request: Received) => boolean): Promise<Received>;
  stop(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const unclaimed: Received[] = [];
  const waiting: { fits: (request: Received) => boolean; resolve: (request: Received) => void }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const one = {
        path: request.url ?? "",
        method: request.method ?? "",
        headers: request.headers,
        text,
        body: JSON.parse(text || "{}"),
      };
      received.push(one);
      receiver.answer(response, one.path);
      const waiter = waiting.findIndex(({ fits }) => fits(one));
      if (waiter >= 0) waiting.splice(waiter, 1)[0]?.resolve(one);
      else unclaimed.push(one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    answer: (response) => void response.end("thanks"),
    next(fits = () => true) {
      const found = unclaimed.findIndex(fits);
      const [one] = found >= 0 ? unclaimed.splice(found, 1) : [];
      return one === undefined ? new Promise((resolve) => waiting.push({ fits, resolve })) : Promise.resolve(one);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
