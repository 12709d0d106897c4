// The MQTT client of scripts, over the library `mqtt`: what a script may reach, how much it may keep and how long it may
// wait. While it is open it stays connected. Each attempt has a client of the library of its own, so nothing of a lost
// connection is sent again.
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type * as Mqtt from "mqtt";
import type * as MqttPacket from "mqtt-packet";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { bareHost, type Reach } from "#drivers/net/create-reach.ts";
import { failureWords } from "#drivers/net/failure-words.ts";
import type { Timers } from "#drivers/timers.ts";
import { MessageInbox } from "./message-inbox.ts";
import type { MqttConnection, MqttMessage, MqttTarget } from "./mqtt-client.ts";
import { PacketGuard, wrong } from "./packet-guard.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** A broker that has been silent for one and a half of it is gone. */
const KEEPALIVE_S = 20;
const MAX_SUBSCRIPTIONS = 64;
const REFUSALS = [
  "unacceptable protocol version",
  "client id rejected",
  "server unavailable",
  "bad username or password",
  "not authorized",
];
/** Far more than a script can wait for: the caller of an older request has given up. */
const MAX_PENDING = 64;
const SUBSCRIPTION_REFUSED = 0x80;
const DISCONNECT = Buffer.of(0xe0, 0);

let library: typeof Mqtt | undefined;

/** Loaded when the first script of a thread opens a client: most gateways have no such script. */
function loadLibrary(): typeof Mqtt {
  if (library === undefined) {
    const load = createRequire(import.meta.url);
    const codec: typeof MqttPacket = load("mqtt-packet");
    // Otherwise the first packet creates a buffer for each 16-bit number, 8 MB per thread.
    codec.writeToStream.cacheNumbers = false;
    const loaded: typeof Mqtt = load("mqtt");
    library = loaded;
  }
  return library;
}

interface MqttNeeds {
  readonly reach: Reach;
  readonly timers: Timers;
  /** Room for messages that scripts have not taken yet. */
  readonly inboxes: Pick<ByteBudget, "take" | "give">;
}

export function createMqttConnection(needs: MqttNeeds, target: MqttTarget): MqttConnection {
  needs.reach.check(bareHost(target.host), target.port);
  return new ScriptClient(needs, target);
}

class ScriptClient implements MqttConnection {
  readonly #needs: MqttNeeds;
  readonly #target: MqttTarget;
  readonly #clientId: string;
  readonly #inbox: MessageInbox;
  readonly #subscriptions = new Map<string, 0 | 1>();
  /** Fails what waits for an acknowledgement, by the id of the packet. */
  readonly #pending = new Map<number, (error: ConnectionError) => void>();
  /** Calls that wait for a connection. */
  readonly #arrivals = new Set<() => void>();
  #socket: Socket | undefined;
  /** While it is connected. */
  #client: Mqtt.MqttClient | undefined;
  #isClosed = false;
  #failures = 0;
  #failure: ConnectionError | undefined;
  #stopTimer = () => {};

  constructor(needs: MqttNeeds, target: MqttTarget) {
    this.#needs = needs;
    this.#target = target;
    this.#inbox = new MessageInbox(needs.inboxes);
    this.#clientId = target.clientId ?? `busbar-${randomUUID().slice(0, 13)}`;
    this.#connect();
  }

  publish({ topic, payload, qos, retain }: Parameters<MqttConnection["publish"]>[0], timeoutMs: number): Promise<void> {
    const bytes = bufferOf(payload);
    return this.#within(timeoutMs, (client) =>
      qos === 1
        ? this.#acknowledged(client, (done) => client.publish(topic, bytes, { qos, retain }, done))
        : new Promise((resolve, reject) => {
            client.publish(topic, bytes, { qos, retain }, (error) =>
              error ? reject(this.#failureOf(error)) : resolve(),
            );
          }),
    );
  }

  subscribe(filter: string, qos: 0 | 1, timeoutMs: number): Promise<void> {
    if (!this.#subscriptions.has(filter) && this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      return Promise.reject(new ConnectionError("busy", `a client has ${MAX_SUBSCRIPTIONS} subscriptions at most`));
    return this.#within(timeoutMs, async (client) => {
      await this.#acknowledged(client, (done) =>
        client.subscribe(filter, { qos }, (error, _, packet) => {
          const isRefused = packet?.granted.some((code) => Number(code) >= SUBSCRIPTION_REFUSED);
          const refusal = `${this.#name()} refuses the subscription to ${filter}`;
          done(isRefused ? new ConnectionError("answer", refusal) : error);
        }),
      );
      this.#subscriptions.set(filter, qos);
    });
  }

  unsubscribe(filter: string, timeoutMs: number): Promise<void> {
    this.#subscriptions.delete(filter);
    return this.#within(timeoutMs, (client) =>
      this.#acknowledged(client, (done) => client.unsubscribe(filter, (error) => done(error))),
    );
  }

  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number } {
    return this.#inbox.take();
  }

  isConnected(): boolean {
    return this.#client !== undefined;
  }

  close(): void {
    this.#isClosed = true;
    this.#inbox.take();
    this.#stopTimer();
    const socket = this.#socket;
    if (this.#client === undefined) socket?.destroy();
    else socket?.end(DISCONNECT);
    this.#lose(new ConnectionError("closed", "the connection was closed"));
  }

  #connect(): void {
    const socket = this.#dial();
    let problem: ConnectionError | undefined;
    const fail = (error: unknown) => {
      problem ??= this.#failureOf(error);
      socket.destroy();
    };
    this.#socket = socket;
    this.#stopTimer = this.#needs.timers.after(CONNECT_TIMEOUT_MS, () =>
      fail(new ConnectionError("timeout", `no connection to ${this.#name()} in time`)),
    );
    socket.on("error", fail);
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#stopTimer();
      this.#lose(problem ?? new ConnectionError("connection", `${this.#name()} closed the connection`));
      if (!this.#isClosed) this.#tryAgain();
    });
    const guard = new PacketGuard(socket, (error) =>
      fail(new ConnectionError(error.code, `${this.#name()}: ${error.message}`)),
    );
    const client = new (loadLibrary().MqttClient)(() => guard, {
      ...loginOf(this.#target),
      clientId: this.#clientId,
      clean: true,
      keepalive: KEEPALIVE_S,
      timerVariant: "native",
      connectTimeout: 2 * CONNECT_TIMEOUT_MS,
      reconnectPeriod: 0,
      resubscribe: false,
      queueQoSZero: false,
    });
    client.on("connect", () => this.#ready(client, socket));
    client.on("message", (topic, payload) => this.#inbox.add({ topic, payload }));
    client.on("error", fail);
  }

  #dial(): Socket {
    const { host, port, isTls, isInsecure } = this.#target;
    const bare = bareHost(host);
    // The policy is checked with every attempt: a name may resolve differently by then.
    const settings = { host: bare, port, lookup: this.#needs.reach.lookup(port), noDelay: true };
    const servername = /[a-z]/.test(bare) ? { servername: bare } : {};
    return isTls ? connectTls({ ...settings, ...servername, rejectUnauthorized: !isInsecure }) : connectPlain(settings);
  }

  #tryAgain(): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures++;
    this.#stopTimer = this.#needs.timers.after(pauseMs, () => this.#connect());
  }

  #ready(client: Mqtt.MqttClient, socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#client = client;
    this.#failures = 0;
    this.#failure = undefined;
    this.#stopTimer();
    // Calls of scripts learn what became of a subscription; this one was accepted before.
    for (const [filter, qos] of this.#subscriptions) client.subscribe(filter, { qos }, () => {});
    for (const arrived of this.#arrivals) arrived();
    this.#arrivals.clear();
  }

  #lose(error: ConnectionError): void {
    this.#socket = undefined;
    this.#client = undefined;
    this.#failure = error;
    for (const failed of this.#pending.values()) failed(error);
    this.#pending.clear();
  }

  #acknowledged(client: Mqtt.MqttClient, send: (done: (error?: Error | null) => void) => unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      const [oldest] = this.#pending;
      if (this.#pending.size >= MAX_PENDING && oldest !== undefined) {
        const [id, failed] = oldest;
        this.#pending.delete(id);
        failed(new ConnectionError("timeout", `${this.#name()} has acknowledged none of the last ${MAX_PENDING}`));
        client.removeOutgoingMessage(id);
      }
      send((error) => {
        this.#pending.delete(id);
        if (error) reject(this.#failureOf(error));
        else resolve();
      });
      const id = client.getLastMessageId();
      this.#pending.set(id, reject);
    });
  }

  /** Waits for the connection, then for the work, within one common time. */
  #within(timeoutMs: number, work: (client: Mqtt.MqttClient) => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ConnectionError("closed", "the connection was closed"));
      const start = () => {
        if (this.#client !== undefined) work(this.#client).then(resolve, reject).finally(cancel);
      };
      const cancel = this.#needs.timers.after(timeoutMs, () => {
        this.#arrivals.delete(start);
        const late = `no answer from ${this.#name()} within ${timeoutMs} ms`;
        const failure = this.#client === undefined ? this.#failure : undefined;
        reject(failure ?? new ConnectionError("timeout", late));
      });
      if (this.#client !== undefined) start();
      else this.#arrivals.add(start);
    });
  }

  #failureOf(error: unknown): ConnectionError {
    if (error instanceof ConnectionError) return error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    const refused = typeof code === "number" ? (REFUSALS[code - 1] ?? `refused with code ${code}`) : undefined;
    if (refused !== undefined) return new ConnectionError("refused", `${this.#name()}: ${refused}`);
    const { code: kind, message } =
      code === undefined ? wrong() : new ConnectionError("connection", failureWords(error));
    return new ConnectionError(kind, `${this.#name()}: ${message}`);
  }

  #name(): string {
    return `${this.#target.host}:${this.#target.port}`;
  }
}

function loginOf({ username, password }: MqttTarget) {
  return {
    // MQTT 3.1.1 allows no password without a name.
    ...((username ?? password) === undefined ? {} : { username: username ?? "" }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
  };
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
