import { resolve } from "node:path";
import type { Cli } from "#cli/cli.ts";
import { printTable, remark } from "#cli/print.ts";
import { readFileIfPresent } from "#cli/read-file-if-present.ts";
import { UsageError } from "#cli/usage-error.ts";
import { fillSettings, type ModbusMap, type PointValue } from "#core/modbus/modbus-map.ts";
import { createMapReader } from "#core/modbus/read-map.ts";
import { parseModbusMap } from "#manifest/modbus/parse-modbus-map.ts";
import { failModbus } from "./modbus-failure.ts";
import { openDevice } from "./open-device.ts";
import type { ReadFlags } from "./read-flags.ts";

interface Row {
  readonly part: string;
  readonly name: string;
  readonly value: PointValue | null;
}

/** Names and types are compared with the manifest by `busbar blueprint lint`, not here. */
export async function readMapFile(cli: Cli, file: string): Promise<ModbusMap> {
  const path = resolve(cli.cwd, file);
  const text = readFileIfPresent(path);
  if (text === undefined) throw new UsageError(`${path} is not there`);
  const { map, issues } = parseModbusMap(text);
  if (map !== undefined) return map;
  throw new UsageError(
    issues.map(({ message, range: { start } }) => `${file}:${start.line}:${start.column}: ${message}`).join("\n"),
  );
}

/** Reads all that a map names, and prints it by name. */
export async function readNamed(
  cli: Cli,
  flags: ReadFlags,
  { address, map }: { readonly address: string | undefined; readonly map: ModbusMap },
): Promise<void> {
  const device = openDevice(address ?? fixed(map.connection), flags.timeout);
  try {
    const unit = typeof map.unit === "number" ? map.unit : flags.unit;
    const reader = createMapReader(map, unit, device);
    const values = new Map<string, PointValue>();
    const failures: string[] = [];
    let isSilent = false;
    for (const { name } of map.groups) {
      const reading = await reader.read(name);
      for (const part of ["telemetry", "properties"] as const)
        for (const [key, value] of reading[part]) values.set(`${part} ${key}`, value);
      for (const alert of reading.knownAlerts) values.set(`alerts ${alert}`, reading.alerts.includes(alert));
      failures.push(...reading.failures);
      isSilent ||= reading.isSilent;
    }
    if (values.size === 0 && failures[0] !== undefined)
      failModbus(cli, device.name, { failure: failures[0], kind: isSilent ? "silence" : "exception" });
    const rows = map.points.map(({ target, name }): Row => {
      return { part: target, name, value: values.get(`${target} ${name}`) ?? null };
    });
    const columns = { PART: (row: Row) => row.part, NAME: (row: Row) => row.name, VALUE: (row: Row) => row.value };
    await printTable(cli, flags, { answer: { values: rows, failures }, rows, columns });
    for (const failure of failures) remark(cli, failure);
  } finally {
    device.close();
  }
}

function fixed(connection: string | undefined): string {
  const filled = connection === undefined ? undefined : fillSettings(connection, new Map());
  if (filled !== undefined && "text" in filled) return filled.text;
  throw new UsageError("the map takes its connection from the device's configuration; give the address before --map");
}
