import type { PortSession } from "#drivers/port/port-request.ts";

export interface ModbusConnection {
  /** Sends one protocol data unit and receives one, exceptions included. */
  request(unit: number, pdu: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  close(): void;
}

/** What the calls of a script need: the same endpoint gives the same connection, which connects with the first request. */
export interface ModbusPeers {
  modbusTcp(host: string, port: number): ModbusConnection;
  readonly ports: PortSession;
}
