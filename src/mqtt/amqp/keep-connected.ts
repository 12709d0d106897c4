// One connection to a cluster, made again for as long as it takes. Any server of the cluster is as good as another.
import { type ChannelModel, connect } from "amqplib";
import type { BrokerServer } from "#core/net/broker-address.ts";
import { retryDelay } from "#mqtt/external/retry-delay.ts";
import type { Log } from "#mqtt/mqtt-needs.ts";

export interface KeptConnection {
  /** Ends the connection that there is; another one is made after a moment. */
  startAnew(): void;
  stop(): Promise<void>;
}

export interface ConnectionWatch {
  /** Prepares a new connection. If it fails, the connection is given up. */
  opened(connection: ChannelModel): Promise<void>;
  /** Called once after each `opened`, also after one that failed. */
  lost(): void;
}

const CONNECT_MS = 5_000;
/** A server that is gone without a word is noticed after two of these. */
const HEARTBEAT_S = 5;

export function keepConnected(log: Log, servers: readonly BrokerServer[], watch: ConnectionWatch): KeptConnection {
  const stopping = new AbortController();
  let current: ChannelModel | undefined;
  let next = Math.floor(Math.random() * servers.length);
  let failures = 0;

  async function useOnce(server: BrokerServer): Promise<void> {
    const connection = await connect(withHeartbeat(server.url), {
      timeout: CONNECT_MS,
      noDelay: true,
      keepAlive: true,
    });
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    connection.on("close", () => resolve());
    // Followed by `close`, which ends the waiting.
    connection.on("error", (error) => log.warn({ err: error }, "the connection to the message broker has failed"));
    current = connection;
    try {
      if (stopping.signal.aborted) return;
      await Promise.race([watch.opened(connection), closed]);
      failures = 0;
      log.info({ server: server.host }, "connected to the message broker");
      await closed;
      log.debug({}, "the connection to the message broker is closed");
    } finally {
      current = undefined;
      watch.lost();
      await end(connection);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const server = servers[next % servers.length];
      next += 1;
      try {
        if (server !== undefined) await useOnce(server);
      } catch (error) {
        log.warn({ err: error, server: server?.host }, `the message broker cannot be used${hintFor(error)}`);
      }
      failures += 1;
      await pause(retryDelay(failures), stopping.signal);
    }
  }

  const running = run();
  return {
    startAnew: () => void end(current),
    async stop() {
      stopping.abort();
      await end(current);
      await running;
    },
  };
}

async function end(connection: ChannelModel | undefined): Promise<void> {
  // It may be closed, or the server may not answer.
  const closing = connection?.close().catch(() => {});
  const timeout = new AbortController();
  await Promise.race([closing, pause(1_000, timeout.signal)]);
  timeout.abort();
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}

function withHeartbeat(text: string): string {
  const url = new URL(text);
  if (!url.searchParams.has("heartbeat")) url.searchParams.set("heartbeat", String(HEARTBEAT_S));
  return url.toString();
}

function hintFor(error: unknown): string {
  const text = error instanceof Error ? error.message : "";
  return /exchange type/i.test(text) ? ": enable its plugin rabbitmq_consistent_hash_exchange" : "";
}
