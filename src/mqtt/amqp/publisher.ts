// Publishes to devices, each message at most once.
import type { ConfirmChannel } from "amqplib";
import type { HandOver } from "#service/ports/carrier.ts";
import { keyOfTopic, MQTT_EXCHANGE } from "./queues.ts";

export interface Publisher {
  /** `not_sent`: the broker says that nobody has subscribed to the topic, or it never got the message. */
  publish(topic: string, payload: string, options: PublishOptions): Promise<HandOver>;
}

interface PublishOptions {
  /** With which the broker passes it on. */
  readonly qos: 0 | 1;
  /** The broker drops it after this time. */
  readonly expireMs?: number;
}

/** A broker that is out of memory or disk takes nothing and says nothing. */
const CONFIRM_MS = 5_000;

export function createPublisher(channel: ConfirmChannel): Publisher {
  const returned = new Set<string>();
  let last = 0;
  // It comes before the confirmation of the same message.
  channel.on("return", ({ properties }) => returned.add(String(properties.messageId)));

  return {
    async publish(topic, payload, { qos, expireMs }) {
      const key = keyOfTopic(topic);
      if (key === undefined) return "not_sent";
      last += 1;
      const messageId = String(last);
      const { promise, resolve } = Promise.withResolvers<HandOver>();
      const timer = setTimeout(() => resolve("unknown"), CONFIRM_MS);
      const confirmed = (error: unknown): void => {
        const isReturned = returned.delete(messageId);
        if (isReturned) resolve("not_sent");
        else resolve(error === null || error === undefined ? "handed_over" : "unknown");
      };
      try {
        channel.publish(
          MQTT_EXCHANGE,
          key,
          Buffer.from(payload),
          {
            messageId,
            mandatory: true,
            persistent: qos > 0,
            headers: { "x-mqtt-publish-qos": { "!": "byte", value: qos } },
            ...(expireMs === undefined ? {} : { expiration: expireMs }),
          },
          confirmed,
        );
      } catch {
        // The channel is closed, so nothing was written.
        resolve("not_sent");
      }
      const outcome = await promise;
      clearTimeout(timer);
      return outcome;
    },
  };
}
