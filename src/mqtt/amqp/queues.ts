// What Busbar declares at RabbitMQ. Messages of devices come to the exchange of the MQTT plugin, and from there to a fixed
// number of queues by a hash of the topic: all messages of one topic wait in one queue, in their order.
//
// All of it is durable and declared again by every connection, which changes nothing. A queue is copied to most nodes of the
// cluster before the broker acknowledges a message to a device.
import type { Channel } from "amqplib";

/** Where the MQTT plugin publishes, with the topic as routing key. */
export const MQTT_EXCHANGE = "amq.topic";
/** Fixed: with fewer later, messages in the others would wait for ever. */
export const QUEUES = 16;

export function queueName(installation: string, part: number): string {
  return `${installation}.${part}`;
}

export async function declareQueues(channel: Channel, installation: string): Promise<void> {
  const [spread, rest] = [`${installation}.from`, `${installation}.rest`];
  // If the hash finds no queue, the message is not dropped.
  await channel.assertExchange(rest, "fanout", { durable: true });
  await channel.assertExchange(spread, "x-consistent-hash", { durable: true, alternateExchange: rest });
  for (let part = 0; part < QUEUES; part++) {
    const queue = queueName(installation, part);
    await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
    await channel.bindQueue(queue, spread, "1");
  }
  await channel.bindQueue(queueName(installation, 0), rest, "");
  // Last, so that nothing arrives before all queues are there.
  await channel.bindExchange(spread, MQTT_EXCHANGE, "v1.from.#");
}

/** The plugin writes a topic with dots. */
export function topicOfKey(key: string): string {
  return key.replaceAll(".", "/");
}

/** Undefined for a topic with a dot in one of its levels: as a key it would be another topic. */
export function keyOfTopic(topic: string): string | undefined {
  return topic.includes(".") || topic.includes("*") ? undefined : topic.replaceAll("/", ".");
}
