// The broker inside the process: aedes speaks MQTT 3.1.1, and device-policy.ts decides what a device may do.
import { createServer, type Server, type Socket } from "node:net";
import "./quiet-debug.ts";
import { Aedes, type Client } from "aedes";
import { writeToStream } from "mqtt-packet";
import { createFairTurns } from "#core/share/fair-turns.ts";
import { EVENT_LOOP } from "#event-loop";
import { MAX_PAYLOAD } from "#mqtt/adapter.ts";
import type { Broker, MqttNeeds } from "#mqtt/mqtt-needs.ts";
import type { SignInCounts } from "#service/ports/figures.ts";
import { createConnections } from "./connections.ts";
import { createDevicePolicy, SIGN_IN_MS } from "./device-policy.ts";
import { createEmbeddedChannel } from "./embedded-channel.ts";
import { FrameGuard } from "./frame-guard.ts";
import { noMemory, noRouting } from "./no-persistence.ts";
import { createStrangers } from "./strangers.ts";
import { createTlsListener, type TlsSettings } from "./tls-listener.ts";
import { createUnreadMessages } from "./unread-messages.ts";

export interface EmbeddedSettings {
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number | "off";
  /** MQTTS beside it, or instead of it. */
  readonly tls?: TlsSettings | undefined;
  /** Messages per second of one device; a long message counts as several, see `FrameGuard`. */
  readonly messageRate: number;
  /** Sign-ins per second of one device, and refused ones of one address; see `sign-in-pace.ts`. */
  readonly signInRate: number;
  /** Beyond this number the oldest connection of the device is closed. */
  readonly connectionsPerDevice: number;
  readonly subscriptionsPerConnection: number;
  /**
   * Connections that have not signed in yet, in total and per address. Beyond the limit, the address with the most
   * loses its oldest.
   */
  readonly unauthenticatedConnections: number;
  readonly unauthenticatedPerAddress: number;
  readonly connections: number;
}

export const EMBEDDED_DEFAULTS: Omit<EmbeddedSettings, "host" | "port" | "tls"> = {
  messageRate: 1_000,
  signInRate: 20,
  connectionsPerDevice: 4,
  subscriptionsPerConnection: 16,
  unauthenticatedConnections: 1_024,
  unauthenticatedPerAddress: 256,
  connections: 10_000,
};

export interface EmbeddedBroker extends Broker {
  /** Starts to listen; gives the ports in use. */
  listen(): Promise<{ readonly port: number | undefined; readonly tlsPort: number | undefined }>;
  /** Connections of signed-in devices. */
  count(): number;
  /** Since the start. */
  readonly signIns: SignInCounts;
}

/** Bytes that all devices together may leave unread. */
const UNREAD_BYTES = 32 * 1024 * 1024;
/** How long a device may leave unread what it was sent. */
const DRAIN_MS = 30_000;
/** Detects a vanished device even when it asked for no keep-alive. */
const TCP_KEEPALIVE_MS = 30_000;
const STOP_MS = 5_000;
/** How long devices may keep the thread busy before other callers get a turn. A connection waits at most once. */
const TURNS = { ms: 5, servingMs: 5, waiting: Number.POSITIVE_INFINITY, waitingPerKey: Number.POSITIVE_INFINITY };

// Without this, the packet writer that aedes uses would keep a buffer for each 16-bit number, 8 MB in total.
writeToStream.cacheNumbers = false;

export async function createEmbeddedBroker(needs: MqttNeeds, settings: EmbeddedSettings): Promise<EmbeddedBroker> {
  const connections = createConnections(needs.inbox, settings.connectionsPerDevice);
  const unread = createUnreadMessages(UNREAD_BYTES);
  needs.budgets.watch(unread);
  const channel = createEmbeddedChannel(connections, unread);
  const guards = new WeakMap<Client, FrameGuard>();
  const strangers = createStrangers(settings);
  const turns = needs.shares.watch("main_thread_devices", createFairTurns(TURNS, EVENT_LOOP));
  const policy = createDevicePolicy({ ...needs, connections, channel }, settings, (client) => guards.get(client));
  const aedes = await Aedes.createBroker({
    ...policy.handlers,
    mq: noRouting,
    persistence: noMemory,
    connectTimeout: SIGN_IN_MS,
    drainTimeout: DRAIN_MS,
  });
  policy.watch(aedes);
  aedes.on("clientReady", (client) => {
    const guard = guards.get(client);
    if (guard !== undefined) strangers.signedIn(guard.socket);
  });

  const accept = (socket: Socket): void => {
    socket.setNoDelay(true);
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    const guard = new FrameGuard(socket, { maxPayload: MAX_PAYLOAD, onPacket: () => policy.notice(client), turns });
    const client = aedes.handle(guard);
    guards.set(client, guard);
  };

  const servers: Server[] = [];
  const open = async (server: Server, port: number): Promise<number> => {
    server.maxConnections = settings.connections;
    // Counted before the TLS handshake too, because a stranger may leave the handshake unfinished.
    server.prependListener("connection", strangers.add);
    servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, settings.host, resolve);
    });
    const address = server.address();
    return typeof address === "object" && address !== null ? address.port : port;
  };

  return {
    channel,
    count: () => connections.all().length,
    signIns: policy.signIns,
    disconnect(deviceId, valid) {
      for (const { client, device } of connections.of(deviceId)) {
        if (valid === undefined || device.credential !== valid) client.close();
      }
    },
    async listen() {
      const { port, tls } = settings;
      return {
        port: port === "off" ? undefined : await open(createServer(accept), port),
        tlsPort: tls === undefined ? undefined : await open(createTlsListener(needs.log, tls, accept), tls.port),
      };
    },
    async stop() {
      const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
      const underWay = connections.all().map(({ tail }) => tail.catch(() => {}));
      await within(STOP_MS, Promise.all(underWay));
      // The acknowledgements are written in the next turns of the event loop.
      for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      strangers.closeAll();
      await new Promise<void>((resolve) => aedes.close(resolve));
      await Promise.all(closed);
    },
  };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
