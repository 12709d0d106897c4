// Devices behind an external broker (Mosquitto, EMQX) that somebody else runs: one connection of ours receives the
// messages of all of them.
//
// The broker keeps our session under our client id, so messages that arrive while we are away wait there. A message is
// acknowledged when it is durable. If one cannot be stored, it stays unacknowledged and we reconnect, and the broker
// delivers it again. The broker decides who may sign in and who may use which topic.
import { connect, type IConnackPacket, type IPublishPacket, type MqttClient } from "mqtt";
import { requireBrokerAddress } from "#core/net/broker-address.ts";
import { renderCommand, renderConfiguration } from "#mqtt/messages.ts";
import type { Broker } from "#mqtt/mqtt-needs.ts";
import { commandTopic, configurationTopic } from "#mqtt/topics.ts";
import type { DeviceConfiguration, HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { SignedIn } from "#service/ports/device-inbox.ts";
import { createExternalChannel } from "./external-channel.ts";
import { createPresence, type Presence } from "./presence.ts";
import { createReceiver, type ExternalNeeds } from "./receive-message.ts";
import { retryDelay } from "./retry-delay.ts";

export interface ExternalSettings {
  /** May carry a user name and password, and several servers of a cluster: any of them is as good. */
  readonly url: string;
  /** The name of our session at the broker: unique per installation, and the same after a restart. */
  readonly clientId: string;
  readonly protocolVersion: 4 | 5;
  /** A device counts as present for this long after its latest message. */
  readonly aliveForMs: number;
  /** The messages are dealt out among all sessions that subscribe under this name. */
  readonly share?: string;
}

export const EXTERNAL_DEFAULTS: Pick<ExternalSettings, "protocolVersion" | "aliveForMs"> = {
  protocolVersion: 5,
  aliveForMs: 30_000,
};

export interface ExternalBroker extends Broker {
  /** Begins to connect, and retries for as long as it takes. */
  start(): void;
  isConnected(): boolean;
}

const TOPICS = "v1/from/+/+/#";
/** The broker drops a command that it cannot pass on within this time. MQTT 5 only. */
const COMMAND_EXPIRY_S = 5;
const SESSION_EXPIRY_S = 24 * 3600;
/** Messages that may wait for the disk at once. The broker holds the rest. */
const MAX_UNDER_WAY = 500;
const MAX_PACKET = 1024 * 1024;
const FIRST_RETRY_MS = 500;
const STOP_MS = 5_000;

/** `known` is who is present where several sessions share the messages. */
export function createExternalBroker(
  needs: ExternalNeeds,
  settings: ExternalSettings,
  known?: Presence,
): ExternalBroker {
  const { inbox, log, now } = needs;
  const presence = known ?? createPresence(inbox, now, settings.aliveForMs);
  const topics = settings.share === undefined ? TOPICS : `$share/${settings.share}/${TOPICS}`;
  const underWay = new Set<Promise<void>>();
  /** Rises with every connection: an acknowledgement must not go to a later connection. */
  let generation = 0;
  let failures = 0;
  let tail: Promise<void> = Promise.resolve();
  let sweeper: NodeJS.Timeout | undefined;

  const client = createClient(settings);
  client.on("connect", ({ properties }: IConnackPacket) => {
    generation += 1;
    if (settings.share !== undefined && properties?.sharedSubscriptionAvailable === false) {
      log.error({}, NO_SHARES);
      client.stream.destroy();
      return;
    }
    if (known === undefined) presence.forget();
    client.subscribe(topics, { qos: 1 }, (error) => {
      if (error) {
        log.error({ err: error }, "the MQTT broker does not let us subscribe");
        client.stream.destroy();
      } else {
        failures = 0;
        log.info({}, "connected to the MQTT broker");
      }
    });
  });
  client.on("reconnect", () => {
    failures += 1;
    client.options.reconnectPeriod = retryDelay(failures);
  });
  client.on("close", () => log.debug({}, "the connection to the MQTT broker is closed"));
  client.on("error", (error) => log.warn({ err: error }, `the MQTT broker cannot be used${hintFor(error)}`));

  const sendConfiguration = async (device: SignedIn, configuration: DeviceConfiguration): Promise<void> => {
    await client.publishAsync(configurationTopic(device), renderConfiguration(configuration), { qos: 1 });
  };
  const receive = createReceiver(needs, presence, sendConfiguration);

  client.handleMessage = (packet, next) => {
    const { messageId, qos, topic, payload, dup } = packet as IPublishPacket;
    const current = generation;
    const bytes = typeof payload === "string" ? Buffer.from(payload) : payload;
    const received = receive({ topic, payload: bytes, repeated: dup });
    received.catch(() => {});
    // Messages are acknowledged in the order of arrival, and only when they are durable.
    const turn = tail.then(() => received);
    tail = turn.catch(() => {});
    const done = turn.then(
      () => {
        if (qos > 0 && messageId !== undefined && current === generation) acknowledge(client, messageId);
      },
      (error: unknown) => {
        log.warn({ err: error }, "a message of a device could not be stored");
        if (qos > 0 && current === generation) startAnew();
      },
    );
    underWay.add(done);
    void done.finally(() => {
      underWay.delete(done);
      if (isFull) next(LATER);
    });
    const isFull = underWay.size >= MAX_UNDER_WAY;
    if (!isFull) next(LATER);
  };

  /** Messages that were not acknowledged come again on a new connection. */
  const startAnew = (): void => {
    generation += 1;
    failures += 1;
    client.options.reconnectPeriod = retryDelay(failures);
    // Pending acknowledgements are sent first.
    const { stream } = client;
    setImmediate(() => stream.destroy());
  };

  const isPresent = (deviceId: string): boolean => client.connected && presence.find(deviceId) !== undefined;

  async function send(device: SignedIn | undefined, command: OutgoingCommand): Promise<HandOver> {
    if (!client.connected || client.disconnecting || device === undefined) return "not_sent";
    try {
      // At QoS 0 neither we nor the broker send it a second time, and no broker keeps it for a device that is away.
      await client.publishAsync(commandTopic(device), renderCommand(command), {
        qos: 0,
        ...(settings.protocolVersion === 5 ? { properties: { messageExpiryInterval: COMMAND_EXPIRY_S } } : {}),
      });
      return "handed_over";
    } catch (error) {
      log.warn({ err: error, device: device.deviceId, execution: command.id }, "a command may not have left");
      // The connection broke during the write: the broker may have received all of it.
      return "unknown";
    }
  }

  const configure = async (device: SignedIn | undefined, configuration: DeviceConfiguration): Promise<void> => {
    if (client.connected && device !== undefined) await sendConfiguration(device, configuration);
  };

  return {
    channel: createExternalChannel(presence, { isPresent, send, configure }),
    isConnected: () => client.connected,
    // The broker manages the device's connections. Its identity is looked up again within half a minute.
    disconnect() {},
    start() {
      if (known === undefined) {
        sweeper = setInterval(() => presence.sweep(), Math.max(50, settings.aliveForMs / 10));
      }
      client.connect();
    },
    async stop() {
      clearInterval(sweeper);
      await endWhenStored(client, underWay);
    },
  };
}

/** Waits for the messages that are being stored, and for their acknowledgements, but not for ever. */
async function endWhenStored(client: MqttClient, underWay: Iterable<Promise<void>>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, STOP_MS);
  await Promise.race([Promise.all(underWay), promise]);
  clearTimeout(timer);
  // The last acknowledgements are written in the next turns of the event loop.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((next) => setImmediate(next));
  await client.endAsync(true);
}

function createClient({ url, clientId, protocolVersion }: ExternalSettings): MqttClient {
  const properties = {
    sessionExpiryInterval: SESSION_EXPIRY_S,
    receiveMaximum: MAX_UNDER_WAY,
    maximumPacketSize: MAX_PACKET,
  };
  const { servers, isSecure } = requireBrokerAddress(url);
  const [first] = servers;
  const scheme = isSecure ? "mqtts" : "mqtt";
  return connect(first?.url ?? url, {
    // The client takes them in turns.
    ...(servers.length > 1 ? { servers: servers.map(({ host, port }) => ({ host, port, protocol: scheme })) } : {}),
    manualConnect: true,
    clientId,
    clean: false,
    protocolVersion,
    reconnectPeriod: FIRST_RETRY_MS,
    resubscribe: false,
    queueQoSZero: false,
    ...(protocolVersion === 5 ? { properties } : {}),
  });
}

const NO_SHARES =
  "the MQTT broker has no shared subscriptions, so nodes cannot share its messages; RabbitMQ needs its amqp:// address in mqtt.url";

/** MQTT 5 has shared subscriptions. A broker without it may take `$share/...` for an ordinary topic, and no message would come. */
function hintFor(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  return code === 1 || code === 132 ? ": it does not speak MQTT 5; RabbitMQ needs its amqp:// address in mqtt.url" : "";
}

/** Lets the client know that the message was received but must not be acknowledged yet: we do that when it is durable. */
const LATER = new Error("acknowledged later");

function acknowledge(client: MqttClient, messageId: number): void {
  client["_sendPacket"]({
    cmd: "puback",
    messageId,
    ...(client.options.protocolVersion === 5 ? { reasonCode: 0 } : {}),
  });
}
