// VictoriaMetrics: one metric, the device and the attribute as labels, texts as numbers (it has no others).
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ATTRIBUTES, type DayData, type DeviceColumn, makeDevice, makeYear, type Size } from "./data.ts";
import type { Engine, Loaded, Question, Table } from "./engine.ts";
import { seriesOf } from "./engine.ts";
import { folderBytes, http, residentBytes, run, until } from "./process.ts";

const PROGRAM = "/usr/bin/victoria-metrics";
/** Points of one line of its import format. */
const LINE_POINTS = 20_000;

export async function startVictoria(
  folder: string,
  port: number,
): Promise<Engine & { load(size: Size): Promise<Loaded> }> {
  if (!existsSync(PROGRAM)) throw new Error("victoria-metrics is not installed");
  const data = join(folder, "victoria");
  const child = run(PROGRAM, [
    `-storageDataPath=${data}`,
    `-httpListenAddr=127.0.0.1:${port}`,
    "-retentionPeriod=10y",
    "-search.maxPointsPerTimeseries=1000000",
    // A year at 1 Hz is more than it takes by default.
    "-search.maxSamplesPerSeries=100000000",
    "-search.maxSamplesPerQuery=1000000000",
    "-memory.allowedPercent=30",
  ]);
  const url = `http://127.0.0.1:${port}`;
  await until(child, () => http(`${url}/health`));

  return {
    name: "victoria",
    async load(size) {
      const started = performance.now();
      let points = 0;
      let lines: string[] = [];
      const send = async () => {
        await http(`${url}/api/v1/import`, { method: "POST", body: lines.join("\n") });
        lines = [];
      };
      const add = async (device: number | "year", attribute: string, { times, values }: DayData) => {
        points += times.length;
        for (let at = 0; at < times.length; at += LINE_POINTS) {
          lines.push(
            JSON.stringify({
              metric: { __name__: "t", device: String(device), attribute },
              values: [...values.subarray(at, at + LINE_POINTS)],
              timestamps: [...times.subarray(at, at + LINE_POINTS)],
            }),
          );
          if (lines.length >= 8) await send();
        }
      };
      for (let device = 0; device < size.devices; device++) {
        const { times, columns } = makeDevice(device, size);
        for (const column of columns) {
          await add(device, column.spec.name, { times: ownTimes(times, column), values: column.values });
        }
      }
      for (const day of makeYear(size)) await add("year", "power", day);
      if (lines.length > 0) await send();
      await http(`${url}/internal/force_flush`);
      const seconds = (performance.now() - started) / 1_000;
      await http(`${url}/internal/force_merge`);
      await merged(url);
      return { points, seconds };
    },
    ask(question, warm) {
      const { from, to, granularity } = question;
      // A window ends at its time and includes it: a millisecond before the end of a bucket it holds exactly the bucket.
      const first = warm ? from + granularity : from + granularity - 1;
      const last = warm ? to : to - 1;
      const query = new URLSearchParams({
        query: expression(question),
        start: String(first / 1_000),
        end: String(last / 1_000),
        step: `${granularity}ms`,
        ...(warm ? {} : { nocache: "1" }),
      });
      return http(`${url}/api/v1/query_range?${query}`);
    },
    parse,
    size: () => folderBytes(join(data, "data")) + folderBytes(join(data, "indexdb")),
    memory: () => residentBytes(child.process.pid),
    stop: () => child.stop("SIGINT"),
  };
}

function ownTimes(times: Float64Array, { rows }: DeviceColumn): Float64Array {
  return rows === undefined ? times : Float64Array.from(rows, (row) => times[row] ?? 0);
}

async function merged(url: string): Promise<void> {
  for (let round = 0; round < 600; round++) {
    const metrics = await http(`${url}/metrics`);
    const active = [...metrics.matchAll(/^vm_active_(?:force_)?merges.* (\d+)$/gm)].some(([, n]) => Number(n) > 0);
    if (!active && round > 2) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

function expression({ devices, attributes, aggregation, fill, from, to, granularity }: Question): string {
  const match = `t{device=~"${devices.join("|")}",attribute=~"${attributes.join("|")}"}`;
  // The last value of all the time before is what carrying forward gives.
  const window = fill ? to - from : granularity;
  return `${aggregation}_over_time(${match}[${window}ms])`;
}

interface Answer {
  readonly data: {
    readonly result: readonly {
      readonly metric: { readonly device: string; readonly attribute: string };
      readonly values: readonly (readonly [number, string])[];
    }[];
  };
}

function parse(question: Question, answer: string): Table {
  const columns = seriesOf(question);
  const table = new Map<number, (number | string | undefined)[]>();
  for (const { metric, values } of (JSON.parse(answer) as Answer).data.result) {
    const column = columns.findIndex(([device, name]) => String(device) === metric.device && name === metric.attribute);
    const words = ATTRIBUTES.find(({ name }) => name === metric.attribute)?.words;
    for (const [time, text] of values) {
      const start = Math.round(time * 1_000) + 1 - question.granularity;
      const row = table.get(start) ?? columns.map(() => undefined);
      row[column] = words === undefined ? Number(text) : words[Number(text)];
      table.set(start, row);
    }
  }
  return table;
}
