// Register maps of a script: the host reads the map, plans the requests and converts the values.
import { MAX_MAP_BYTES, MAX_MAPS } from "#core/modbus/map-limits.ts";
import { fillSettings, type ModbusMap, settingsOf } from "#core/modbus/modbus-map.ts";
import { createMapReader } from "#core/modbus/read-map.ts";
import type { RegisterAccess } from "#core/modbus/register-access.ts";
import { writeCommand } from "#core/modbus/write-map.ts";
import { type Call, integer, table, text } from "#drivers/arguments.ts";
import { ConnectionError } from "#drivers/connection-error.ts";
import { type LuaValue, luaValueOf, plainOf, textOf } from "#drivers/lua-value.ts";
import type { ModbusPeers } from "#drivers/modbus/modbus-connection.ts";
import { createRegisterAccess } from "#drivers/modbus/register-access.ts";
import { parseModbusMap } from "#manifest/modbus/parse-modbus-map.ts";
import { connectionTo, openEndpoint } from "./modbus-endpoint.ts";

interface OpenMap {
  readonly map: ModbusMap;
  /** What `modbus.map_connect` has prepared. */
  session: Session | undefined;
}

interface Session {
  readonly unit: number;
  readonly access: RegisterAccess;
  readonly reader: ReturnType<typeof createMapReader>;
}

const MOST_WORDS = 10;

export function modbusMapCalls(connections: ModbusPeers): Readonly<Record<string, Call>> {
  // Reading a map takes a while, so it is done once for a text, also if the map is wrong, and only for so many texts.
  const handles = new Map<string, number | ConnectionError>();
  const maps: OpenMap[] = [];

  const mapOf = (handle: LuaValue): OpenMap => {
    const found = maps[integer(handle, "map", [0, maps.length - 1])];
    if (found === undefined) throw new ConnectionError("invalid", "there is no such map");
    return found;
  };
  const sessionOf = (handle: LuaValue): Session => {
    const { session } = mapOf(handle);
    if (session === undefined) throw new ConnectionError("invalid", "the map is not connected");
    return session;
  };

  const add = (parsed: ModbusMap | ConnectionError) =>
    parsed instanceof ConnectionError ? parsed : maps.push({ map: parsed, session: undefined }) - 1;

  return {
    "modbus.map_open": async ([source]) => {
      const given = text(source, "register map", MAX_MAP_BYTES);
      if (!handles.has(given) && handles.size >= MAX_MAPS)
        throw new ConnectionError("busy", `a device opens ${MAX_MAPS} register maps at most, wrong ones included`);
      const handle = handles.get(given) ?? add(parse(given));
      handles.set(given, handle);
      if (handle instanceof ConnectionError) throw handle;
      return [handle, describe(mapOf(handle).map)];
    },
    "modbus.map_connect": async ([handle, values, uri]) => {
      const open = mapOf(handle);
      const { map } = open;
      const settings = new Map(
        [...table(values, "settings")].map(([name, value]) => [textOf(name), textOf(String(value))]),
      );
      const connection = uri === undefined ? map.connection : text(uri, "connection URI");
      if (connection === undefined) throw new ConnectionError("invalid", "the map has no connection; give its URI");
      const endpoint = await openEndpoint(connections, filled(connection, settings));
      const unit = Number(filled(String(map.unit), settings));
      if (!Number.isInteger(unit) || unit < 0 || unit > 255)
        throw new ConnectionError("invalid", `the unit must be a whole number from 0 to 255, not ${unit}`);
      const access: RegisterAccess = {
        read: (span) => createRegisterAccess(connectionTo(connections, endpoint), map.timeoutMs).read(span),
        write: (span, registers) =>
          createRegisterAccess(connectionTo(connections, endpoint), map.timeoutMs).write(span, registers),
      };
      open.session = { unit, access, reader: createMapReader(map, unit, access) };
      return [];
    },
    "modbus.map_read": async ([handle, group]) => {
      const { reader } = sessionOf(handle);
      const name = text(group, "group");
      if (!mapOf(handle).map.groups.some((one) => one.name === name))
        throw new ConnectionError("invalid", `the map has no group "${name}"`);
      const { isSilent, knownAlerts: _, ...reading } = await reader.read(name);
      return [luaValueOf({ ...reading, is_silent: isSilent })];
    },
    "modbus.map_write": async ([handle, command, args]) => {
      const { unit, access } = sessionOf(handle);
      const name = text(command, "command");
      const writes = mapOf(handle).map.commands.get(name);
      if (writes === undefined) throw new ConnectionError("invalid", `the map has no command "${name}"`);
      const given = new Map([...table(args, "arguments")].map(([key, value]) => [textOf(key), plainOf(value)]));
      const problem = await writeCommand(access, writes, { unit, args: given });
      if (problem !== undefined) throw new ConnectionError("answer", problem);
      return [];
    },
  };
}

function parse(source: string): ModbusMap | ConnectionError {
  const { map, issues } = parseModbusMap(source);
  if (map !== undefined) return map;
  const lines = issues.slice(0, MOST_WORDS).map(({ message, path }) => (path === "" ? message : `${path}: ${message}`));
  return new ConnectionError("invalid", `the register map is wrong: ${lines.join(" ")}`);
}

function describe(map: ModbusMap): LuaValue {
  return luaValueOf({
    groups: map.groups.map(({ name, intervalMs }) => ({ name, interval: intervalMs })),
    commands: [...map.commands.keys()],
    settings: settingsOf(map),
  });
}

function filled(given: string, settings: ReadonlyMap<string, string>): string {
  const result = fillSettings(given, settings);
  if ("text" in result) return result.text;
  throw new ConnectionError("invalid", `${result.missing} is not configured`);
}
