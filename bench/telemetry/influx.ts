// InfluxDB 1: a measurement with the device as a tag and a field per attribute.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type DeviceColumn, makeDevice, makeYear, type Size } from "./data.ts";
import { type Engine, type Loaded, type Question, seriesOf, type Table } from "./engine.ts";
import { folderBytes, http, residentBytes, run, until } from "./process.ts";

const PROGRAM = "/usr/bin/influxd";
const LINES = 5_000;

export async function startInflux(
  folder: string,
  port: number,
): Promise<Engine & { load(size: Size): Promise<Loaded> }> {
  if (!existsSync(PROGRAM)) throw new Error("influxdb is not installed");
  const data = join(folder, "influx");
  mkdirSync(data, { recursive: true });
  const config = join(data, "influx.conf");
  writeFileSync(config, settings(data, port));
  const child = run(PROGRAM, ["-config", config]);
  const url = `http://127.0.0.1:${port}`;
  await until(child, () => http(`${url}/ping`));
  await http(`${url}/query?q=${encodeURIComponent("CREATE DATABASE bench")}`, { method: "POST" });

  return {
    name: "influx",
    async load(size) {
      const started = performance.now();
      let points = 0;
      let lines: string[] = [];
      const send = async () => {
        await http(`${url}/write?db=bench&precision=ms`, { method: "POST", body: lines.join("\n") });
        lines = [];
      };
      for (let device = 0; device < size.devices; device++) {
        const made = makeDevice(device, size);
        points += made.points;
        const cells = made.columns.map(fieldsOf);
        for (const [row, time] of made.times.entries()) {
          const fields = cells.map((cell) => cell(row)).filter((text) => text !== "");
          lines.push(`t,device=${device} ${fields.join(",")} ${time}`);
          if (lines.length >= LINES) await send();
        }
      }
      for (const { times, values } of makeYear(size)) {
        points += times.length;
        for (const [row, time] of times.entries()) {
          lines.push(`t,device=year power=${values[row]} ${time}`);
          if (lines.length >= LINES) await send();
        }
      }
      if (lines.length > 0) await send();
      return { points, seconds: (performance.now() - started) / 1_000 };
    },
    ask: (question) => http(`${url}/query?db=bench&epoch=ms&q=${encodeURIComponent(statement(question))}`),
    parse,
    size: () => folderBytes(data),
    memory: () => residentBytes(child.process.pid),
    stop: () => child.stop(),
  };
}

/** Gives the field of a row as line protocol, or nothing; to be asked row by row. */
function fieldsOf({ spec, rows, values }: DeviceColumn): (row: number) => string {
  let next = 0;
  return (row) => {
    if (rows !== undefined && rows[next] !== row) return "";
    const value = values[next++] ?? 0;
    if (spec.words !== undefined) return `${spec.name}="${spec.words[value]}"`;
    if (spec.type === "boolean") return `${spec.name}=${value === 1}`;
    return `${spec.name}=${value}`;
  };
}

function statement({ devices, attributes, aggregation, fill, from, to, granularity }: Question): string {
  const call = aggregation === "avg" ? "mean" : "last";
  const fields = attributes.map((name) => `${call}(${name}) AS ${name}`).join(", ");
  const where = devices.map((device) => `device = '${device}'`).join(" OR ");
  return `SELECT ${fields} FROM t WHERE (${where}) AND time >= ${from}ms AND time < ${to}ms
    GROUP BY time(${granularity}ms), device fill(${fill ? "previous" : "none"})`;
}

interface Answer {
  readonly results: readonly {
    readonly series?: readonly {
      readonly tags: { readonly device: string };
      readonly columns: readonly string[];
      readonly values: readonly (readonly [number, ...(number | string | null)[]])[];
    }[];
  }[];
}

function parse(question: Question, answer: string): Table {
  const columns = seriesOf(question);
  const table = new Map<number, (number | string | undefined)[]>();
  for (const { tags, columns: names, values } of (JSON.parse(answer) as Answer).results[0]?.series ?? []) {
    const places = names
      .slice(1)
      .map((name) => columns.findIndex((one) => String(one[0]) === tags.device && one[1] === name));
    for (const [start, ...cells] of values) {
      const row = table.get(start) ?? columns.map(() => undefined);
      for (const [index, cell] of cells.entries()) row[places[index] ?? 0] = cell ?? undefined;
      table.set(start, row);
    }
  }
  return table;
}

function settings(data: string, port: number): string {
  return `reporting-disabled = true
bind-address = "127.0.0.1:${port + 1}"
[meta]
  dir = "${data}/meta"
[data]
  dir = "${data}/data"
  wal-dir = "${data}/wal"
  cache-max-memory-size = "4g"
  max-values-per-tag = 0
  query-log-enabled = false
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
  max-row-limit = 0
[monitor]
  store-enabled = false
[continuous_queries]
  enabled = false
`;
}
