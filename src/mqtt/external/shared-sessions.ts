// Devices behind an external broker, for several nodes. The broker deals the messages out among a fixed number of sessions
// (a shared subscription), and each session is used by one node at a time. A session belongs to the work and not to a
// node: messages that wait in the session of a node that has died go to the node that takes the session over.
import type { Broker } from "#mqtt/mqtt-needs.ts";
import { createExternalBroker, type ExternalBroker, type ExternalSettings } from "./create-external-broker.ts";
import { createPresence } from "./presence.ts";
import type { ExternalNeeds } from "./receive-message.ts";

export interface SharedSessions extends Broker {
  /** Uses the session of this number. Resolves with the function that leaves it. */
  use(session: number): Promise<() => Promise<void>>;
}

/** The name of the shared subscription. */
const SHARE = "busbar";

export function createSharedSessions(needs: ExternalNeeds, settings: ExternalSettings): SharedSessions {
  const used = new Map<number, ExternalBroker>();
  /** Of all sessions of this node. Whether a device is silent is judged by what all nodes hear of it. */
  const presence = createPresence({ ...needs.inbox, unreachable: () => {} }, needs.now, settings.aliveForMs);
  const sweeper = setInterval(() => presence.sweep(), Math.max(50, settings.aliveForMs / 10));
  const connected = () => [...used.values()].find((broker) => broker.isConnected())?.channel;
  return {
    channel: {
      isReady: (deviceId) => connected()?.isReady(deviceId) === true,
      send: async (deviceId, command) => (await connected()?.send(deviceId, command)) ?? "not_sent",
      sendConfiguration: async (...given) => await connected()?.sendConfiguration(...given),
      children: {
        isReady: (child) => connected()?.children?.isReady(child) === true,
        send: async (child, command) => (await connected()?.children?.send(child, command)) ?? "not_sent",
        sendConfiguration: async (...given) => await connected()?.children?.sendConfiguration(...given),
      },
    },
    disconnect() {},
    async use(session) {
      const clientId = `${settings.clientId}-${session}`;
      const broker = createExternalBroker(needs, { ...settings, clientId, share: SHARE }, presence);
      used.set(session, broker);
      broker.start();
      return async () => {
        await broker.stop();
        used.delete(session);
      };
    },
    async stop() {
      clearInterval(sweeper);
      await Promise.all([...used.values()].map((broker) => broker.stop()));
    },
  };
}
