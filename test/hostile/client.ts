// A small HTTP client that calls from an address of its own, so that limits per address distinguish neighbours.
import { Agent, type IncomingMessage, request } from "node:http";
import { request as requestOverTls, Agent as TlsAgent } from "node:https";

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface CallOptions {
  /** A text or bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** On a connection that nobody used before. */
  readonly onNewConnection?: boolean;
  readonly timeoutMs?: number;
}

export interface Client {
  /** Rejects when the connection breaks or the answer is not complete in time. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  /** The parsed answer; throws unless it is 200. */
  ask<Body>(method: string, path: string, body?: unknown): Promise<Body>;
  /** Resolves with the head of the answer and leaves its body to the caller. */
  open(method: string, path: string, options?: CallOptions): Promise<IncomingMessage>;
  close(): void;
}

export interface ClientOptions {
  readonly url: string;
  readonly token?: string;
  /** The address that calls come from. */
  readonly address: string;
  readonly maxSockets?: number;
}

export function createClient({ url, token, address, maxSockets = 16 }: ClientOptions): Client {
  const isTls = url.startsWith("https:");
  // Whose certificate it is, is not what is tested.
  const tls = { rejectUnauthorized: false };
  const pool = { keepAlive: true, maxSockets, localAddress: localAddress(address) };
  const agent = isTls ? new TlsAgent({ ...pool, ...tls }) : new Agent(pool);

  function open(method: string, path: string, options: CallOptions = {}): Promise<IncomingMessage> {
    const { body, headers, onNewConnection = false, timeoutMs = 30_000 } = options;
    const bytes =
      body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const sent = (isTls ? requestOverTls : request)(url + path, {
        ...(isTls && tls),
        method,
        headers: { ...(token !== undefined && { "X-Service-Auth-Token": token }), ...headers },
        agent: onNewConnection ? false : agent,
        localAddress: localAddress(address),
      });
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
      sent.on("close", () => clearTimeout(timer));
      sent.on("response", resolve);
      sent.on("error", reject);
      sent.end(bytes);
    });
  }

  const call = async (method: string, path: string, options?: CallOptions): Promise<Answer> => {
    const answer = await open(method, path, options);
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    return { status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") };
  };
  return {
    call,
    open,
    async ask<Body>(method: string, path: string, body?: unknown): Promise<Body> {
      const { status, text } = await call(method, path, { body });
      if (status !== 200) throw new Error(`${method} ${path} answered ${status} ${text.slice(0, 500)}`);
      return JSON.parse(text) as Body;
    },
    close: () => agent.destroy(),
  };
}

/** Linux has all of 127.0.0.0/8; elsewhere everybody calls from one address. */
export function localAddress(address: string): string | undefined {
  return process.platform === "linux" ? address : undefined;
}
