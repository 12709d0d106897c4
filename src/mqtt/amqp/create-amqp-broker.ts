// Devices behind RabbitMQ, which may be a cluster. Devices speak MQTT with its plugin, and we speak AMQP 0-9-1 with it, because
// it has no shared subscriptions: nodes take the messages from queues instead, each queue by one node at a time. A message
// is acknowledged when it is durable. The broker decides who may sign in and who may use which topic.
import type { ChannelModel } from "amqplib";
import { requireBrokerAddress } from "#core/net/broker-address.ts";
import { createExternalChannel } from "#mqtt/external/external-channel.ts";
import { createPresence } from "#mqtt/external/presence.ts";
import { createReceiver, type ExternalNeeds } from "#mqtt/external/receive-message.ts";
import type { SharedSessions } from "#mqtt/external/shared-sessions.ts";
import { renderCommand, renderConfiguration } from "#mqtt/messages.ts";
import { commandTopic, configurationTopic } from "#mqtt/topics.ts";
import type { DeviceConfiguration, HandOver, OutgoingCommand } from "#service/ports/carrier.ts";
import type { SignedIn } from "#service/ports/device-inbox.ts";
import { consumeQueue } from "./consume-queue.ts";
import { keepConnected } from "./keep-connected.ts";
import { createPublisher, type Publisher } from "./publisher.ts";
import { declareQueues, queueName } from "./queues.ts";

export interface AmqpSettings {
  /** May carry a user name and password, and several servers. */
  readonly url: string;
  /** Names the queues: unique per installation at this broker, and the same for all its nodes. */
  readonly installation: string;
  /** A device counts as present for this long after its latest message. */
  readonly aliveForMs: number;
  /** Other nodes hear devices as well, and so decide together which ones are silent. */
  readonly isShared: boolean;
}

/** The broker drops a command that it cannot pass on within this time. */
const COMMAND_EXPIRY_MS = 5_000;

interface Taken {
  stop: (() => Promise<void>) | undefined;
}

interface Open {
  readonly connection: ChannelModel;
  readonly publisher: Publisher;
}

/** Its sessions are the queues: `use` takes the messages of one. */
export function createAmqpBroker(needs: ExternalNeeds, settings: AmqpSettings): SharedSessions {
  const { inbox, log, now } = needs;
  const presence = createPresence(
    settings.isShared ? { ...inbox, unreachable: () => {} } : inbox,
    now,
    settings.aliveForMs,
  );
  const sweeper = setInterval(() => presence.sweep(), Math.max(50, settings.aliveForMs / 10));
  const taken = new Map<number, Taken>();
  let open: Open | undefined;

  async function sendConfiguration(device: SignedIn, configuration: DeviceConfiguration): Promise<void> {
    await open?.publisher.publish(configurationTopic(device), renderConfiguration(configuration), { qos: 1 });
  }
  const receive = createReceiver(needs, presence, sendConfiguration);

  async function consume(connection: ChannelModel, part: number, place: Taken): Promise<void> {
    const queue = queueName(settings.installation, part);
    const stop = await consumeQueue({ log, receive, startAnew: () => kept.startAnew() }, connection, queue);
    // It was given up, or the connection was lost meanwhile.
    if (taken.get(part) !== place || open?.connection !== connection) await stop();
    else place.stop = stop;
  }

  const kept = keepConnected(log, requireBrokerAddress(settings.url).servers, {
    async opened(connection) {
      const declaring = await connection.createChannel();
      // The failure itself comes from the call that has caused it.
      declaring.on("error", () => {});
      await declareQueues(declaring, settings.installation);
      await declaring.close();
      const publishing = await connection.createConfirmChannel();
      publishing.on("error", (error) => log.warn({ err: error }, "the message broker has refused a message"));
      publishing.on("close", () => kept.startAnew());
      open = { connection, publisher: createPublisher(publishing) };
      await Promise.all([...taken].map(([part, place]) => consume(connection, part, place)));
    },
    lost() {
      open = undefined;
      for (const place of taken.values()) place.stop = undefined;
      if (!settings.isShared) presence.forget();
    },
  });

  const isPresent = (deviceId: string): boolean => open !== undefined && presence.find(deviceId) !== undefined;

  async function send(device: SignedIn | undefined, command: OutgoingCommand): Promise<HandOver> {
    if (open === undefined || device === undefined) return "not_sent";
    // At QoS 0 the broker does not send it to the device a second time.
    const options = { qos: 0, expireMs: COMMAND_EXPIRY_MS } as const;
    const outcome = await open.publisher.publish(commandTopic(device), renderCommand(command), options);
    if (outcome === "unknown") {
      log.warn({ device: device.deviceId, execution: command.id }, "a command may not have left");
    }
    return outcome;
  }

  return {
    channel: createExternalChannel(presence, {
      isPresent,
      send,
      async configure(device, configuration) {
        if (device !== undefined) await sendConfiguration(device, configuration);
      },
    }),
    // The broker manages the device's connections. Its identity is looked up again within half a minute.
    disconnect() {},
    async use(part) {
      const place: Taken = { stop: undefined };
      taken.set(part, place);
      if (open !== undefined) {
        consume(open.connection, part, place).catch((error: unknown) => {
          log.warn({ err: error }, "a queue of the message broker cannot be used");
          kept.startAnew();
        });
      }
      return async () => {
        taken.delete(part);
        await place.stop?.();
      };
    },
    async stop() {
      clearInterval(sweeper);
      await Promise.all([...taken.values()].map(async ({ stop }) => await stop?.()));
      taken.clear();
      await kept.stop();
    },
  };
}
