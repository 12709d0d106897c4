// Commands and configuration to devices that are connected to the embedded broker. Nothing is ever kept for later.
import { renderCommand, renderConfiguration } from "#mqtt/messages.ts";
import { type Address, commandTopic, configurationTopic } from "#mqtt/topics.ts";
import type {
  ChildAddress,
  ChildChannel,
  CommandChannel,
  DeviceConfiguration,
  HandOver,
  OutgoingCommand,
} from "#service/ports/carrier.ts";
import type { Connection, Connections, Listener } from "./connections.ts";
import type { UnreadMessages } from "./unread-messages.ts";

/** Beyond this many unread bytes a device gets no more commands. */
const MAX_UNSENT = 1024 * 1024;

export function createEmbeddedChannel(
  connections: Connections,
  unread: Pick<UnreadMessages, "wrote">,
): CommandChannel & { readonly children: ChildChannel } {
  async function write(listener: Listener, topic: string, payload: string): Promise<void> {
    await handToConnection(listener, topic, payload);
    unread.wrote(listener.connection);
  }

  /** The newest connection that listens and keeps up. Only one is used: two must not both run a command. */
  const taker = ({ deviceId, commandsOf }: Way): Listener | undefined =>
    connections.listening(deviceId, commandsOf).find(({ connection }) => connection.guard.unsent <= MAX_UNSENT);

  async function send(way: Way, command: OutgoingCommand): Promise<HandOver> {
    const listener = taker(way);
    if (listener === undefined) return "not_sent";
    await write(listener, way.commandsOf(listener.connection), renderCommand(command));
    return "handed_over";
  }

  async function sendConfiguration({ deviceId, topicOf }: Way, configuration: DeviceConfiguration): Promise<void> {
    const text = renderConfiguration(configuration);
    const topic = ({ device }: Connection) => configurationTopic(topicOf(device));
    const listeners = connections.listening(deviceId, topic);
    await Promise.all(listeners.map((listener) => write(listener, topic(listener.connection), text)));
  }

  return {
    isReady: (deviceId) => taker(ownWay(deviceId)) !== undefined,
    send: (deviceId, command) => send(ownWay(deviceId), command),
    sendConfiguration: (deviceId, configuration) => sendConfiguration(ownWay(deviceId), configuration),
    children: {
      isReady: (child) => taker(wayTo(child)) !== undefined,
      send: (child, command) => send(wayTo(child), command),
      sendConfiguration: (child, configuration) => sendConfiguration(wayTo(child), configuration),
    },
  };
}

/** Whose connections are used, and which address the topic names. */
interface Way {
  readonly deviceId: string;
  readonly topicOf: (own: Address) => Address;
  /** The topic of its commands. */
  readonly commandsOf: (connection: Connection) => string;
}

const itself = (own: Address) => own;
const ownCommands = ({ commands }: Connection) => commands;

const ownWay = (deviceId: string): Way => ({ deviceId, topicOf: itself, commandsOf: ownCommands });

const wayTo = ({ carrierId, channelId }: ChildAddress): Way => {
  const topicOf = ({ hardwareId }: Address) => ({ hardwareId, channelId });
  return { deviceId: carrierId, topicOf, commandsOf: ({ device }) => commandTopic(topicOf(device)) };
};

/**
 * Resolves when the message is handed to the connection, not when the device has read it: a slow device must not block
 * the sender.
 */
function handToConnection({ connection, qos }: Listener, topic: string, payload: string): Promise<void> {
  connection.client.publish({ cmd: "publish", topic, payload, qos, retain: false, dup: false }, () => {});
  // aedes writes in a later phase of the event loop; this one comes after it.
  return new Promise((resolve) => setImmediate(resolve));
}
