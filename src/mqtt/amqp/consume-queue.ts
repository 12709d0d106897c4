// Takes the messages of one queue. Each is acknowledged in the order of arrival and when it is durable.
import type { ChannelModel, ConsumeMessage } from "amqplib";
import type { BrokerMessage } from "#mqtt/external/receive-message.ts";
import type { Log } from "#mqtt/mqtt-needs.ts";
import { topicOfKey } from "./queues.ts";

interface ConsumerNeeds {
  readonly log: Log;
  readonly receive: (message: BrokerMessage) => Promise<void>;
  /** The queue cannot be taken on this connection any more. What was not acknowledged comes again on the next one. */
  readonly startAnew: () => void;
}

/** Messages of one queue that may wait for the disk at once. The broker holds the rest. */
const MAX_UNDER_WAY = 64;
const STOP_MS = 5_000;

/** Resolves with the function that takes no more, and waits a moment for what is being stored. */
export async function consumeQueue(
  { log, receive, startAnew }: ConsumerNeeds,
  connection: ChannelModel,
  queue: string,
): Promise<() => Promise<void>> {
  const channel = await connection.createChannel();
  const underWay = new Set<Promise<void>>();
  let isOpen = true;
  let tail: Promise<void> = Promise.resolve();
  channel.on("error", (error) => log.warn({ err: error, queue }, "a queue of the message broker cannot be used"));
  channel.on("close", () => {
    if (isOpen) startAnew();
    isOpen = false;
  });

  const take = (message: ConsumeMessage | null): void => {
    // The broker has ended the subscription, as it does when somebody deletes the queue.
    if (message === null) {
      startAnew();
      return;
    }
    const received = receive({
      topic: topicOfKey(message.fields.routingKey),
      payload: message.content,
      repeated: message.fields.redelivered || message.properties.headers?.["x-mqtt-dup"] === true,
    });
    received.catch(() => {});
    const turn = tail.then(() => received);
    // What comes after a failure is not acknowledged: it comes again together with what failed.
    tail = turn;
    const done = turn.then(
      () => {
        if (isOpen) channel.ack(message);
      },
      (error: unknown) => {
        if (!isOpen) return;
        isOpen = false;
        log.warn({ err: error }, "a message of a device could not be stored");
        startAnew();
      },
    );
    underWay.add(done);
    void done.finally(() => underWay.delete(done));
  };

  await channel.prefetch(MAX_UNDER_WAY);
  const { consumerTag } = await channel.consume(queue, take, { noAck: false });
  return async () => {
    if (!isOpen) return;
    await ignoreFailure(channel.cancel(consumerTag));
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, STOP_MS);
    await Promise.race([Promise.all(underWay), promise]);
    clearTimeout(timer);
    isOpen = false;
    await ignoreFailure(channel.close());
  };
}

/** The connection may end at the same moment. */
async function ignoreFailure(closing: Promise<unknown>): Promise<void> {
  await closing.catch(() => {});
}
