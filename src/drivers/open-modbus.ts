// Modbus for a person at this machine: any address, no rules of a device, the same protocol as for scripts.
import { lookup } from "node:dns";
import { parseLineSettings } from "#core/hardware/line-settings.ts";
import type { RegisterAccess } from "#core/modbus/register-access.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { readConnectionUri } from "#drivers/connection-uri.ts";
import type { ModbusConnection } from "#drivers/modbus/modbus-connection.ts";
import { createModbusTcp } from "./modbus/modbus-tcp.ts";
import { createRegisterAccess } from "./modbus/register-access.ts";
import { openSerialLine } from "./port/open-serial-line.ts";
import { SharedLine } from "./port/shared-line.ts";
import { realTimers } from "./timers.ts";

export interface OpenModbus extends RegisterAccess {
  /** The address as it was understood. */
  readonly name: string;
  close(): void;
}

const ANYWHERE = { check: () => {}, recheck: () => {}, lookup: () => lookup };

/** `192.168.1.10`, `host:1502`, `tcp://host:502`, or a serial line: `/dev/ttyUSB0?baud_rate=19200&parity=even`. */
export function openModbus(address: string, timeoutMs: number): OpenModbus | { readonly problem: string } {
  try {
    const { name, connection } = address.startsWith("/") ? openSerial(address) : openTcp(address);
    return { name, ...createRegisterAccess(connection, timeoutMs), close: () => connection.close() };
  } catch (error) {
    if (error instanceof ConnectionError) return { problem: error.message };
    throw error;
  }
}

interface Opened {
  readonly name: string;
  readonly connection: ModbusConnection;
}

function openTcp(address: string): Opened {
  const uri = readConnectionUri(address.includes("://") ? address : `tcp://${address}`);
  if (uri.scheme !== "tcp")
    throw new ConnectionError(
      "invalid",
      "ports have names only on a gateway; give the serial line, such as /dev/ttyUSB0",
    );
  const needs = { reach: ANYWHERE, timers: realTimers };
  return { name: `${uri.host}:${uri.port}`, connection: createModbusTcp(needs, uri.host, uri.port) };
}

function openSerial(address: string): Opened {
  const [path = "", query = ""] = address.split("?");
  const settings = parseLineSettings(new Map(new URLSearchParams(query)));
  if ("problem" in settings) throw new ConnectionError("invalid", `${address}: ${settings.problem}`);
  const line = new SharedLine(openSerialLine(path), settings, realTimers);
  return { name: path, connection: { request: line.modbus.bind(line), close: () => line.close() } };
}
