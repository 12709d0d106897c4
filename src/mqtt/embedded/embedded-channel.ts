// Commands and configuration to devices that are connected to the embedded broker. Nothing is ever kept for later.
import { renderCommand, renderConfiguration } from "#mqtt/messages.ts";
import { commandTopic, configurationTopic } from "#mqtt/topics.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { Connections, Listener } from "./connections.ts";
import type { UnreadMessages } from "./unread-messages.ts";

/** Beyond this many unread bytes a device gets no more commands. */
const MAX_UNSENT = 1024 * 1024;

export function createEmbeddedChannel(connections: Connections, unread: Pick<UnreadMessages, "wrote">): CommandChannel {
  async function write(listener: Listener, topic: string, payload: string): Promise<void> {
    await handToConnection(listener, topic, payload);
    unread.wrote(listener.connection);
  }

  /** The newest connection that listens and keeps up. Only one is used: two must not both run a command. */
  const taker = (deviceId: string): Listener | undefined =>
    connections.listening(deviceId, commandTopic).find(({ connection }) => connection.guard.unsent <= MAX_UNSENT);
  return {
    isReady: (deviceId) => taker(deviceId) !== undefined,
    async send(deviceId, command) {
      const listener = taker(deviceId);
      if (listener === undefined) return "not_sent";
      await write(listener, commandTopic(listener.connection.device), renderCommand(command));
      return "handed_over";
    },
    async sendConfiguration(deviceId, configuration) {
      const text = renderConfiguration(configuration);
      const listeners = connections.listening(deviceId, configurationTopic);
      await Promise.all(
        listeners.map((listener) => write(listener, configurationTopic(listener.connection.device), text)),
      );
    },
  };
}

/**
 * Resolves when the message is handed to the connection, not when the device has read it: a slow device must not block
 * the sender.
 */
function handToConnection({ connection, qos }: Listener, topic: string, payload: string): Promise<void> {
  connection.client.publish({ cmd: "publish", topic, payload, qos, retain: false, dup: false }, () => {});
  // aedes writes in a later phase of the event loop; this one comes after it.
  return new Promise((resolve) => setImmediate(resolve));
}
