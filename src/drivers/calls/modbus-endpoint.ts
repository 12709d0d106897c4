import type { ConnectionUri } from "#core/modbus/connection-uri.ts";
import type { ModbusConnection, PeerConnections } from "#drivers/peer-connections.ts";
import { modbusOverPort } from "#drivers/port/modbus-over-port.ts";
import { readConnectionUri } from "./connection-uri.ts";

/** A hardware port is opened at once, so that wrong settings are noticed. */
export async function openEndpoint(connections: PeerConnections, uri: string): Promise<ConnectionUri> {
  const endpoint = readConnectionUri(uri);
  if (endpoint.scheme === "port")
    await connections.ports.call(endpoint.name, { op: "open", use: "modbus", parameters: endpoint.parameters });
  return endpoint;
}

/** Asked for again with each use: a device has few connections, and the least used one is closed for a new one. */
export function connectionTo(connections: PeerConnections, endpoint: ConnectionUri): ModbusConnection {
  return endpoint.scheme === "tcp"
    ? connections.modbusTcp(endpoint.host, endpoint.port)
    : modbusOverPort(connections.ports, endpoint.name);
}
