// An MQTT client for scripts. The library speaks the protocol; the connection is ours, so that the address policy holds.
import { connect as connectPlain } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Timers } from "#runtime/drivers/timers.ts";
import { type MqttMessage, type MqttTarget, type MqttWire, WireError } from "#runtime/drivers/wires.ts";
import { bareHost, type Reach } from "./create-reach.ts";
import { failureWords } from "./failure-words.ts";

const RECONNECT_MS = 2000;
const CONNECT_TIMEOUT_MS = 10_000;
const KEEPALIVE_S = 30;
const MAX_KEPT_MESSAGES = 256;
const MAX_KEPT_BYTES = 1024 * 1024;

interface MqttNeeds {
  readonly reach: Reach;
  readonly timers: Timers;
}

/** Messages that have arrived, until the script takes them; without room the oldest go. */
class Inbox {
  #messages: MqttMessage[] = [];
  #bytes = 0;
  #dropped = 0;

  add(message: MqttMessage): void {
    this.#messages.push(message);
    this.#bytes += message.payload.length;
    while (this.#messages.length > MAX_KEPT_MESSAGES || this.#bytes > MAX_KEPT_BYTES) {
      this.#bytes -= this.#messages.shift()?.payload.length ?? 0;
      this.#dropped++;
    }
  }

  take() {
    const taken = { messages: this.#messages, dropped: this.#dropped };
    this.#messages = [];
    this.#bytes = 0;
    this.#dropped = 0;
    return taken;
  }
}

export function createMqttWire({ reach, timers }: MqttNeeds, target: MqttTarget): MqttWire {
  const name = `${target.host}:${target.port}`;
  const host = bareHost(target.host);
  reach.check(host, target.port);
  const inbox = new Inbox();
  let isClosed = false;
  let failure: string | undefined;
  let isConnected = () => false;
  const open = () => {
    const settings = { host, port: target.port, lookup: reach.lookup(target.port) };
    const socket = target.isTls
      ? connectTls({ ...settings, servername: /[a-z]/i.test(host) ? host : "", rejectUnauthorized: !target.isInsecure })
      : connectPlain(settings);
    // The policy is asked again with every attempt: a name may lead elsewhere by then.
    socket.on("error", (error) => {
      failure = error instanceof WireError ? error.message : `${name}: ${failureWords(error)}`;
    });
    return socket;
  };
  const starting = import("mqtt").then(({ MqttClient }) => {
    const client = new MqttClient(open, {
      ...(target.clientId === undefined ? {} : { clientId: target.clientId }),
      ...(target.username === undefined ? {} : { username: target.username }),
      ...(target.password === undefined ? {} : { password: target.password }),
      clean: true,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: RECONNECT_MS,
      connectTimeout: CONNECT_TIMEOUT_MS,
      queueQoSZero: false,
      resubscribe: true,
      reconnectOnConnackError: true,
    });
    client.on("connect", () => {
      failure = undefined;
    });
    client.on("message", (topic, payload) => inbox.add({ topic, payload }));
    client.on("error", (error) => {
      failure = `${name}: ${error.message.slice(0, 200)}`;
    });
    isConnected = () => client.connected;
    if (isClosed) client.end(true);
    return client;
  });

  /** Waits for the connection, then for the work, in the given time together. */
  const within = async (timeoutMs: number, work: (client: Awaited<typeof starting>) => Promise<unknown>) => {
    if (isClosed) throw new WireError("closed", "the connection was closed");
    const client = await starting;
    let cancel = () => {};
    let forget = () => {};
    const late = new Promise<never>((_, reject) => {
      cancel = timers.after(timeoutMs, () =>
        reject(
          new WireError(
            failure === undefined ? "timeout" : "connection",
            failure ?? `no answer from ${name} within ${timeoutMs} ms`,
          ),
        ),
      );
    });
    // Whoever loses the race is of no more interest.
    late.catch(() => {});
    const connected = new Promise<void>((resolve) => {
      if (client.connected) return resolve();
      const listener = () => resolve();
      client.once("connect", listener);
      forget = () => void client.removeListener("connect", listener);
    });
    try {
      await Promise.race([connected, late]);
      await Promise.race([work(client), late]);
    } catch (error) {
      if (error instanceof WireError) throw error;
      throw new WireError("answer", `${name}: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      cancel();
      forget();
    }
  };

  return {
    publish: ({ topic, payload, qos, retain }, timeoutMs) =>
      within(timeoutMs, (client) => client.publishAsync(topic, Buffer.from(payload), { qos, retain })),
    subscribe: (filter, qos, timeoutMs) =>
      within(timeoutMs, async (client) => {
        const [granted] = await client.subscribeAsync(filter, { qos });
        if (granted === undefined || granted.qos > 2)
          throw new WireError("answer", `${name} refuses the subscription to ${filter}`);
      }),
    unsubscribe: (filter, timeoutMs) => within(timeoutMs, (client) => client.unsubscribeAsync(filter)),
    take: () => inbox.take(),
    isConnected: () => isConnected(),
    close() {
      isClosed = true;
      void starting.then((client) => client.end(true));
    },
  };
}
