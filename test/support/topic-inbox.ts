// Everything that an MQTT client hears, with its topic.
import type { MqttClient } from "mqtt";

interface Heard {
  readonly topic: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface TopicInbox {
  /** The first message that was not taken yet. */
  next(): Promise<Heard>;
  all(): readonly Heard[];
}

export function createInbox(client: MqttClient): TopicInbox {
  const heard: Heard[] = [];
  const untaken: Heard[] = [];
  const takers: ((message: Heard) => void)[] = [];
  client.on("message", (topic, payload) => {
    const message = { topic, body: JSON.parse(payload.toString("utf8")) as Heard["body"] };
    heard.push(message);
    const taker = takers.shift();
    if (taker === undefined) untaken.push(message);
    else taker(message);
  });
  return {
    next() {
      const message = untaken.shift();
      return message === undefined ? new Promise((resolve) => takers.push(resolve)) : Promise.resolve(message);
    },
    all: () => heard,
  };
}
