import { itemAt } from "#core/item-at.ts";
import type { ConnectionUri } from "#core/modbus/connection-uri.ts";
import { type Call, integer, list, table, text, timeout } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { bytesOf, type LuaValue } from "#drivers/lua-value.ts";
import type { ModbusConnection, ModbusPeers } from "#drivers/modbus/modbus-connection.ts";
import {
  checkWriteAnswer,
  MAX_READ,
  MAX_WRITE,
  type ReadTable,
  readAnswer,
  readRequest,
  type WriteKind,
  writeRequest,
} from "#drivers/modbus/pdu.ts";
import { createRegisterAccess } from "#drivers/modbus/register-access.ts";
import { connectionTo, openEndpoint } from "./modbus-endpoint.ts";
import { findSunSpec, readSunSpec, writeSunSpec } from "./sunspec-calls.ts";

const MAX_ENDPOINTS = 64;
const MAX_QUERIES = 256;
const UNIT = [0, 255] as const;
const REGISTER = [0, 65_535] as const;

export function modbusCalls(connections: ModbusPeers): Readonly<Record<string, Call>> {
  // A script creates new clients as often as it likes: the same address gives the same handle.
  const handles = new Map<string, number>();
  const endpoints: ConnectionUri[] = [];

  const wireOf = (handle: LuaValue): ModbusConnection =>
    connectionTo(connections, itemAt(endpoints, integer(handle, "handle", [0, endpoints.length - 1])));
  const read = async (wire: ModbusConnection, asked: Read): Promise<readonly number[]> => {
    const answer = await wire.request(
      asked.unit,
      readRequest(asked.table, asked.register, asked.count),
      asked.timeoutMs,
    );
    return readAnswer(asked.table, asked.count, answer);
  };
  const write = async (wire: ModbusConnection, asked: Write): Promise<void> => {
    const request = writeRequest(asked.kind, asked.register, asked.values);
    checkWriteAnswer(request, await wire.request(asked.unit, request, asked.timeoutMs));
  };

  return {
    "modbus.open": async ([uri]) => {
      const key = text(uri, "connection URI");
      const endpoint = await openEndpoint(connections, key);
      const known = handles.get(key);
      if (known !== undefined) return [known];
      if (endpoints.length >= MAX_ENDPOINTS)
        throw new ConnectionError("busy", `a device has ${MAX_ENDPOINTS} Modbus clients at most`);
      handles.set(key, endpoints.length);
      endpoints.push(endpoint);
      return [endpoints.length - 1];
    },
    "modbus.read": async ([handle, name, unit, register, count, timeoutMs]) => [
      await read(wireOf(handle), parseRead({ name, unit, register, count, timeoutMs })),
    ],
    "modbus.write": async ([handle, name, unit, register, values, timeoutMs]) => {
      await write(wireOf(handle), parseWrite({ name, unit, register, values, timeoutMs }));
      return [];
    },
    "modbus.read_all": async ([handle, queries]) => {
      const wire = wireOf(handle);
      return await each(queries, async (query) => {
        const field = (name: string) => query.get(name);
        const asked = { name: field("type"), unit: field("addr"), register: field("reg"), count: field("count") };
        return new Map([["data", await read(wire, parseRead({ ...asked, timeoutMs: field("timeout") }))]]);
      });
    },
    "sunspec.find": async ([handle, unit, timeoutMs]) => {
      const access = createRegisterAccess(wireOf(handle), timeout(timeoutMs));
      return [await findSunSpec(access, integer(unit, "unit", UNIT))];
    },
    "sunspec.read": async ([handle, unit, model, timeoutMs]) => {
      const access = createRegisterAccess(wireOf(handle), timeout(timeoutMs));
      return [await readSunSpec(access, integer(unit, "unit", UNIT), table(model, "model"))];
    },
    "sunspec.write": async ([handle, unit, model, values, timeoutMs]) => {
      const access = createRegisterAccess(wireOf(handle), timeout(timeoutMs));
      await writeSunSpec(access, integer(unit, "unit", UNIT), { model, values: table(values, "values") });
      return [];
    },
    "modbus.write_all": async ([handle, queries]) => {
      const wire = wireOf(handle);
      return await each(queries, async (query) => {
        const field = (name: string) => query.get(name);
        const isMultiple = String(field("type")).startsWith("multiple_");
        const asked = { name: field("type"), unit: field("addr"), register: field("reg") };
        const values = field(isMultiple ? "values" : "value");
        await write(wire, parseWrite({ ...asked, values, timeoutMs: field("timeout") }));
        return new Map();
      });
    },
  };
}

/** One result per query, in their order; a query that fails does not stop the others. */
async function each(
  queries: LuaValue,
  perform: (query: ReadonlyMap<string, LuaValue>) => Promise<ReadonlyMap<string, LuaValue>>,
): Promise<readonly LuaValue[]> {
  const results: LuaValue[] = [];
  for (const query of list(queries, "queries", MAX_QUERIES)) {
    try {
      results.push(await perform(table(query, "a query")));
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      results.push(
        new Map([
          ["errcode", error.code],
          ["errmsg", bytesOf(error.message)],
        ]),
      );
    }
  }
  return [results];
}

interface Read {
  readonly table: ReadTable;
  readonly unit: number;
  readonly register: number;
  readonly count: number;
  readonly timeoutMs: number;
}

interface Write {
  readonly kind: WriteKind;
  readonly unit: number;
  readonly register: number;
  readonly values: readonly number[];
  readonly timeoutMs: number;
}

type Raw<T extends string> = Readonly<Record<T, LuaValue>>;

function parseRead(raw: Raw<"name" | "unit" | "register" | "count" | "timeoutMs">): Read {
  const name = oneOf(raw.name, MAX_READ);
  const asked = {
    table: name,
    unit: integer(raw.unit, "unit", UNIT),
    register: integer(raw.register, "register", REGISTER),
    count: integer(raw.count, "count", [1, MAX_READ[name]]),
    timeoutMs: timeout(raw.timeoutMs),
  };
  checkEnd(asked.register, asked.count);
  return asked;
}

function parseWrite(raw: Raw<"name" | "unit" | "register" | "values" | "timeoutMs">): Write {
  const kind = oneOf(raw.name, MAX_WRITE);
  const given = kind.startsWith("multiple_") ? list(raw.values, "values", MAX_WRITE[kind]) : [raw.values];
  const isCoil = kind.endsWith("coil") || kind.endsWith("coils");
  const asked = {
    kind,
    unit: integer(raw.unit, "unit", UNIT),
    register: integer(raw.register, "register", REGISTER),
    values: given.map((value) => (isCoil ? coil(value) : integer(value, "value", [-32_768, 65_535]) & 0xffff)),
    timeoutMs: timeout(raw.timeoutMs),
  };
  if (asked.values.length === 0) throw new ConnectionError("invalid", "values must not be empty");
  checkEnd(asked.register, asked.values.length);
  return asked;
}

function coil(value: LuaValue): number {
  return typeof value === "boolean" ? Number(value) : integer(value, "value", REGISTER);
}

function oneOf<T extends string>(value: LuaValue, known: Readonly<Record<T, unknown>>): T {
  const names = Object.keys(known).filter((name): name is T => Object.hasOwn(known, name));
  const found = names.find((name) => name === value);
  if (found === undefined)
    throw new ConnectionError(
      "invalid",
      `type must be one of ${names.join(", ")}, got ${value === undefined ? "nil" : `"${value}"`}`,
    );
  return found;
}

function checkEnd(register: number, count: number): void {
  if (register + count > REGISTER[1] + 1)
    throw new ConnectionError("invalid", `registers ${register} to ${register + count - 1} go beyond ${REGISTER[1]}`);
}
