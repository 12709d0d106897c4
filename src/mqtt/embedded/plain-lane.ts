// Telemetry and answers of the device itself go past the broker, which has nothing to route. What is kept of a message until it is durable is its
// id: messages that share a commit are one group, with one promise.
import type { Adapter } from "#mqtt/adapter.ts";
import { responseTopic, telemetryTopic } from "#mqtt/topics.ts";
import type { Connection } from "./connections.ts";
import type { PlainLane } from "./frame-guard.ts";

interface Group {
  readonly received: Promise<void>;
  readonly qos: 0 | 1;
  readonly ids: number[];
  bytes: number;
}

type Acknowledge = (
  connection: Connection,
  group: Pick<Group, "received" | "qos">,
  done: (error?: Error | null) => void,
) => void;

export function createPlainLane(
  connection: Connection,
  adapter: Pick<Adapter, "telemetry" | "response">,
  acknowledge: Acknowledge,
): PlainLane {
  const { device, guard } = connection;
  const [telemetry, responses] = [Buffer.from(telemetryTopic(device)), Buffer.from(responseTopic(device))];
  /** The last group, while it waits, and the end of the connection's messages since it was begun. */
  let last: Group | undefined;
  let tail: Promise<void> | undefined;

  function begin(received: Promise<void>, qos: 0 | 1): Group {
    const group: Group = { received, qos, ids: [], bytes: 0 };
    acknowledge(connection, group, (error) => {
      if (last === group) last = undefined;
      if (error) guard.destroy(error);
      else guard.settle(group);
    });
    last = group;
    tail = connection.tail;
    return group;
  }

  return {
    topics: [telemetry, responses],
    take({ topic, payload, qos, id, repeated }) {
      const received =
        topic === telemetry ? adapter.telemetry(device, payload) : adapter.response(device, payload, repeated);
      const isSame = last?.received === received && last.qos === qos && tail === connection.tail;
      const group = isSame && last !== undefined ? last : begin(received, qos);
      group.bytes += payload.length;
      if (qos === 1) group.ids.push(id);
    },
  };
}
