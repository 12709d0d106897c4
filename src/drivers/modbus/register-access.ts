import type { RegisterKind } from "#core/modbus/modbus-map.ts";
import { isBitKind } from "#core/modbus/modbus-map.ts";
import type { AccessFailure, RegisterAccess } from "#core/modbus/register-access.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import type { ModbusConnection } from "#drivers/modbus/modbus-connection.ts";
import { checkWriteAnswer, type ReadTable, readAnswer, readRequest, type WriteKind, writeRequest } from "./pdu.ts";

const TABLES: Readonly<Record<RegisterKind, ReadTable>> = {
  holding: "holdings",
  input: "inputs",
  coil: "coils",
  discrete: "discrete_inputs",
};

/** The registers behind a connection, with failures as values. */
export function createRegisterAccess(connection: ModbusConnection, timeoutMs: number): RegisterAccess {
  return {
    async read({ unit, kind, address, count }) {
      try {
        const answer = await connection.request(unit, readRequest(TABLES[kind], address, count), timeoutMs);
        return readAnswer(TABLES[kind], count, answer);
      } catch (error) {
        return failureOf(error);
      }
    },
    async write({ unit, kind, address }, registers) {
      const request = writeRequest(writeKind(kind, registers.length), address, registers);
      try {
        checkWriteAnswer(request, await connection.request(unit, request, timeoutMs));
        return undefined;
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

function writeKind(kind: RegisterKind, count: number): WriteKind {
  if (isBitKind(kind)) return count === 1 ? "coil" : "multiple_coils";
  return count === 1 ? "holding" : "multiple_holdings";
}

function failureOf(error: unknown): AccessFailure {
  if (!(error instanceof ConnectionError)) throw error;
  const { code, exception, message } = error;
  if (code === "exception") return { failure: message, kind: "exception", exception };
  return { failure: message, kind: code === "timeout" || code === "answer" ? "silence" : "unreachable" };
}
