import { createConnectionCache } from "#drivers/connection-cache.ts";
import type { ConnectDriver } from "#drivers/driver.ts";
import { modbusCalls } from "./modbus-calls.ts";
import type { ModbusConnection, ModbusPeers } from "./modbus-connection.ts";
import { modbusMapCalls } from "./modbus-map-calls.ts";
import { createModbusTcp } from "./modbus-tcp.ts";

const MAX_CONNECTIONS = 16;

export const connect: ConnectDriver = (needs) => {
  const cache = createConnectionCache<ModbusConnection>(MAX_CONNECTIONS);
  const peers: ModbusPeers = {
    modbusTcp: (host, port) => cache.get(`${host}:${port}`, () => createModbusTcp(needs, host, port)),
    ports: needs.ports,
  };
  return { calls: { ...modbusCalls(peers), ...modbusMapCalls(peers) }, close: cache.close };
};
