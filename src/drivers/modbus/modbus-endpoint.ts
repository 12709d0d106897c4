import type { ConnectionUri } from "#core/modbus/connection-uri.ts";
import { readConnectionUri } from "#drivers/connection-uri.ts";
import type { ModbusConnection, ModbusPeers } from "#drivers/modbus/modbus-connection.ts";
import { modbusOverPort } from "#drivers/modbus/modbus-over-port.ts";

/** A hardware port is opened at once, so that wrong settings are noticed. */
export async function openEndpoint(connections: ModbusPeers, uri: string): Promise<ConnectionUri> {
  const endpoint = readConnectionUri(uri);
  if (endpoint.scheme === "port")
    await connections.ports.call(endpoint.name, { op: "open", use: "modbus", parameters: endpoint.parameters });
  return endpoint;
}

/** Asked for again with each use: a device has few connections, and the least used one is closed for a new one. */
export function connectionTo(connections: ModbusPeers, endpoint: ConnectionUri): ModbusConnection {
  return endpoint.scheme === "tcp"
    ? connections.modbusTcp(endpoint.host, endpoint.port)
    : modbusOverPort(connections.ports, endpoint.name);
}
