import { createConnectionCache } from "#drivers/connection-cache.ts";
import type { ConnectDriver } from "#drivers/driver.ts";
import { mqttCalls } from "./mqtt-calls.ts";
import type { MqttConnection } from "./mqtt-client.ts";
import { createMqttConnection } from "./mqtt-connection.ts";

const MAX_CONNECTIONS = 4;

export const connect: ConnectDriver = (needs) => {
  const cache = createConnectionCache<MqttConnection>(MAX_CONNECTIONS);
  const calls = mqttCalls((target) => cache.get(JSON.stringify(target), () => createMqttConnection(needs, target)));
  return { calls, close: cache.close };
};
