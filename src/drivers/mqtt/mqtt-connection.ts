// An MQTT client for scripts, over the codec of mqtt-packet. While it is open it stays connected: when the connection breaks, the client
// connects again and renews its subscriptions. The library mqtt has such a client too, but loading it takes twice as long.
import { randomUUID } from "node:crypto";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { ByteBudget } from "#core/share/byte-budgets.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { MqttConnection, MqttMessage, MqttTarget } from "#drivers/mqtt/mqtt-client.ts";
import { bareHost, type Reach } from "#drivers/net/create-reach.ts";
import { failureWords } from "#drivers/net/failure-words.ts";
import type { Timers } from "#drivers/timers.ts";
import { MessageInbox } from "./message-inbox.ts";
import { PacketReader, type ReceivedPacket, renderPacket } from "./mqtt-codec.ts";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const PING_MS = 15_000;
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

interface MqttNeeds {
  readonly reach: Reach;
  readonly timers: Timers;
  /** Room for messages that scripts have not taken yet. */
  readonly inboxes: Pick<ByteBudget, "take" | "give">;
}

interface Waiting {
  readonly done: (codes: readonly number[]) => void;
  readonly failed: (error: ConnectionError) => void;
}

export function createMqttConnection(needs: MqttNeeds, target: MqttTarget): MqttConnection {
  needs.reach.check(bareHost(target.host), target.port);
  return new MqttClient(needs, target);
}

class MqttClient implements MqttConnection {
  readonly #needs: MqttNeeds;
  readonly #target: MqttTarget;
  readonly #clientId: string;
  readonly #inbox: MessageInbox;
  readonly #subscriptions = new Map<string, 0 | 1>();
  /** Acknowledgements by the id of the packet. */
  readonly #pending = new Map<number, Waiting>();
  /** Calls that wait for a connection. */
  readonly #arrivals = new Set<() => void>();
  #socket: Socket | undefined;
  #isReady = false;
  #isClosed = false;
  #lastId = 0;
  #failures = 0;
  #failure: ConnectionError | undefined;
  #isPinged = false;
  #stopTimer = () => {};

  constructor(needs: MqttNeeds, target: MqttTarget) {
    this.#needs = needs;
    this.#target = target;
    this.#inbox = new MessageInbox(needs.inboxes);
    this.#clientId = target.clientId ?? `busbar-${randomUUID().slice(0, 13)}`;
    this.#connect();
  }

  publish({ topic, payload, qos, retain }: Parameters<MqttConnection["publish"]>[0], timeoutMs: number): Promise<void> {
    const message = { cmd: "publish", topic, payload: bufferOf(payload), retain, dup: false } as const;
    return this.#within(timeoutMs, async () => {
      if (qos === 1) await this.#acknowledged((id) => renderPacket({ ...message, qos, messageId: id }));
      else await this.#written(renderPacket({ ...message, qos }));
    });
  }

  subscribe(filter: string, qos: 0 | 1, timeoutMs: number): Promise<void> {
    if (!this.#subscriptions.has(filter) && this.#subscriptions.size >= MAX_SUBSCRIPTIONS)
      return Promise.reject(new ConnectionError("busy", `a client has ${MAX_SUBSCRIPTIONS} subscriptions at most`));
    return this.#within(timeoutMs, async () => {
      const [code] = await this.#acknowledged((id) => subscribePacket(id, filter, qos));
      if (code === SUBSCRIPTION_REFUSED)
        throw new ConnectionError("answer", `${this.#name()} refuses the subscription to ${filter}`);
      this.#subscriptions.set(filter, qos);
    });
  }

  unsubscribe(filter: string, timeoutMs: number): Promise<void> {
    this.#subscriptions.delete(filter);
    return this.#within(timeoutMs, async () => {
      await this.#acknowledged((messageId) =>
        renderPacket({ cmd: "unsubscribe", messageId, unsubscriptions: [filter] }),
      );
    });
  }

  take(): { readonly messages: readonly MqttMessage[]; readonly dropped: number } {
    return this.#inbox.take();
  }

  isConnected(): boolean {
    return this.#isReady;
  }

  close(): void {
    this.#isClosed = true;
    this.#inbox.take();
    this.#stopTimer();
    if (this.#isReady) this.#socket?.end(renderPacket({ cmd: "disconnect" }));
    this.#lose(new ConnectionError("closed", "the connection was closed"));
  }

  #connect(): void {
    const { host, port, isTls, isInsecure } = this.#target;
    const bare = bareHost(host);
    // The policy is checked with every attempt: a name may resolve differently by then.
    const settings = { host: bare, port, lookup: this.#needs.reach.lookup(port), noDelay: true };
    const socket = isTls
      ? connectTls({
          ...settings,
          ...(/[a-z]/.test(bare) ? { servername: bare } : {}),
          rejectUnauthorized: !isInsecure,
        })
      : connectPlain(settings);
    const reader = new PacketReader();
    this.#socket = socket;
    let problem: ConnectionError | undefined;
    this.#stopTimer = this.#needs.timers.after(CONNECT_TIMEOUT_MS, () => {
      problem = new ConnectionError("timeout", `no connection to ${this.#name()} in time`);
      socket.destroy();
    });
    socket.on(isTls ? "secureConnect" : "connect", () => {
      socket.write(connectPacket(this.#clientId, this.#target));
    });
    socket.on("data", (piece) => {
      try {
        for (const packet of reader.take(piece)) this.#received(packet);
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        problem = new ConnectionError(error.code, `${this.#name()}: ${error.message}`);
        socket.destroy();
      }
    });
    socket.on("error", (error) => {
      problem ??=
        error instanceof ConnectionError
          ? error
          : new ConnectionError("connection", `${this.#name()}: ${failureWords(error)}`);
    });
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#stopTimer();
      this.#lose(problem ?? new ConnectionError("connection", `${this.#name()} closed the connection`));
      if (!this.#isClosed) this.#tryAgain();
    });
  }

  #tryAgain(): void {
    const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures);
    this.#failures++;
    this.#stopTimer = this.#needs.timers.after(pauseMs, () => this.#connect());
  }

  #received(packet: ReceivedPacket): void {
    switch (packet.type) {
      case "connack":
        if (packet.code !== 0)
          throw new ConnectionError("refused", REFUSALS[packet.code - 1] ?? `refused with code ${packet.code}`);
        this.#ready();
        break;
      case "publish":
        this.#inbox.add(packet);
        if (packet.id !== undefined) this.#socket?.write(renderPacket({ cmd: "puback", messageId: packet.id }));
        break;
      case "ack":
        this.#pending.get(packet.id)?.done(packet.codes);
        this.#pending.delete(packet.id);
        break;
      case "pingresp":
        this.#isPinged = false;
        break;
    }
  }

  #ready(): void {
    this.#isReady = true;
    this.#failures = 0;
    this.#failure = undefined;
    this.#stopTimer();
    this.#isPinged = false;
    this.#ping();
    for (const [filter, qos] of this.#subscriptions) this.#socket?.write(subscribePacket(this.#nextId(), filter, qos));
    for (const arrived of this.#arrivals) arrived();
    this.#arrivals.clear();
  }

  /** A broker that does not answer a ping before the next one is gone. */
  #ping(): void {
    this.#stopTimer = this.#needs.timers.after(PING_MS, () => {
      if (this.#isPinged) return void this.#socket?.destroy();
      this.#isPinged = true;
      this.#socket?.write(renderPacket({ cmd: "pingreq" }));
      this.#ping();
    });
  }

  #lose(error: ConnectionError): void {
    const socket = this.#socket;
    this.#socket = undefined;
    this.#isReady = false;
    this.#failure = error;
    // A deliberate close sends DISCONNECT first.
    if (!this.#isClosed || socket?.writableEnded !== true) socket?.destroy();
    for (const { failed } of this.#pending.values()) failed(error);
    this.#pending.clear();
  }

  #acknowledged(render: (id: number) => Buffer): Promise<readonly number[]> {
    return new Promise((done, failed) => {
      const id = this.#nextId();
      const [oldest] = this.#pending;
      if (this.#pending.size >= MAX_PENDING && oldest !== undefined) {
        this.#pending.delete(oldest[0]);
        oldest[1].failed(
          new ConnectionError("timeout", `${this.#name()} has acknowledged none of the last ${MAX_PENDING}`),
        );
      }
      this.#pending.set(id, { done, failed });
      this.#socket?.write(render(id));
    });
  }

  #written(packet: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket?.write(packet, (error) =>
        error ? reject(new ConnectionError("connection", `${this.#name()}: ${failureWords(error)}`)) : resolve(),
      );
    });
  }

  /** Waits for the connection, then for the work, within one common time. */
  #within(timeoutMs: number, work: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new ConnectionError("closed", "the connection was closed"));
      const start = () => {
        work().then(resolve, reject).finally(cancel);
      };
      const cancel = this.#needs.timers.after(timeoutMs, () => {
        this.#arrivals.delete(start);
        const late = `no answer from ${this.#name()} within ${timeoutMs} ms`;
        reject(this.#isReady || this.#failure === undefined ? new ConnectionError("timeout", late) : this.#failure);
      });
      if (this.#isReady) start();
      else this.#arrivals.add(start);
    });
  }

  #nextId(): number {
    do this.#lastId = (this.#lastId % 0xffff) + 1;
    while (this.#pending.has(this.#lastId));
    return this.#lastId;
  }

  #name(): string {
    return `${this.#target.host}:${this.#target.port}`;
  }
}

function connectPacket(clientId: string, { username, password }: MqttTarget): Buffer {
  const login = {
    // MQTT 3.1.1 allows no password without a name.
    ...((username ?? password) === undefined ? {} : { username: username ?? "" }),
    ...(password === undefined ? {} : { password: Buffer.from(password) }),
  };
  return renderPacket({ cmd: "connect", clientId, clean: true, keepalive: KEEPALIVE_S, ...login });
}

function subscribePacket(messageId: number, topic: string, qos: 0 | 1): Buffer {
  return renderPacket({ cmd: "subscribe", messageId, subscriptions: [{ topic, qos }] });
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
