import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { granularityFor, parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { cutText, renderTable } from "#cli/table.ts";
import { checkColumns } from "#cli/telemetry/check-columns.ts";
import { collectRows, type Table } from "#cli/telemetry/collect-rows.ts";
import { type Column, describeColumns } from "#cli/telemetry/describe-columns.ts";
import { parseSeries } from "#cli/telemetry/parse-series.ts";
import { type ChartSeries, renderChart } from "#cli/telemetry/render-chart.ts";
import { UsageError } from "#cli/usage-error.ts";
import { writeOutput } from "#cli/write-output.ts";
import type { GapFilling, TimeseriesQuestion } from "#client/telemetry.ts";
import { AGGREGATIONS } from "#core/telemetry/aggregation.ts";
import { parseDuration } from "#core/time/duration.ts";
import { instant, renderInstant } from "#core/time/instant.ts";

type QueryFlags = Omit<ClientFlags, "output"> & {
  readonly from: string;
  readonly to: string;
  readonly granularity?: string;
  readonly aggregation: string;
  readonly timezone?: string;
  readonly fill?: string;
  readonly chart?: true;
  readonly output: "table" | "csv" | "json";
};

/** `min_max` gives two columns for one attribute, which a table has no place for. */
const ONE_COLUMN = AGGREGATIONS.filter((one) => one !== "min_max");
/** Only a time zone gives these a length; the chart needs about one. */
const CALENDAR_STEPS: Readonly<Record<string, number>> = { "1w": 7 * 86_400_000, "1M": 30 * 86_400_000 };
const DEFAULT_COLUMNS = 100;
/** Rows of a table that fit on a few screens; a chart takes as many as it has dots. */
const TABLE_BUCKETS = 60;

export function addQueryCommand(telemetry: Command, cli: Cli): void {
  const query = telemetry
    .command("query")
    .argument("<device[:attributes]...>", "devices, with attributes or all of them")
    .description("Show time series: a table, a chart, or CSV and JSON for programs.")
    .option("--from <time>", `start: ${TIME_WORDS}`, "-24h")
    .option("--to <time>", "end, not included", "now")
    .option("-g, --granularity <duration>", "length of a bucket (default what fits the range)")
    .addOption(new Option("-a, --aggregation <function>", "what a bucket shows").choices(ONE_COLUMN).default("auto"))
    .option("--timezone <name>", "with -g 1d, 1w, 1M or 1y: whose days, weeks, months and years, such as Europe/Berlin")
    .option("--fill <method>", "fill gaps: locf, or locf:1h to look that far back before the start")
    .option("--chart", "draw it")
    .addOption(
      new Option("-o, --output <format>", "how to print it").choices(["table", "csv", "json"]).default("table"),
    );
  addConnectionOptions(query).action(async (words: readonly string[], flags: QueryFlags) => {
    const series = parseSeries(words);
    const isChart = flags.chart === true && flags.output === "table";
    const settings = settingsOf(cli, { ...flags, isChart });
    const { client, wait } = await openSession(cli, { ...flags, output: "table" });
    const columns = await wait(describeColumns(client, series));
    checkColumns(columns);
    const question = { ...settings, telemetry: columns.map(({ device, attribute }) => ({ device, attribute })) };
    const answer = await wait(client.telemetry.timeseries(question));
    if (flags.output === "csv") {
      for await (const piece of answer) await writeOutput(cli, piece);
      return;
    }
    const table = await wait(collectRows(answer, columns, flags.aggregation));
    if (flags.output === "json") cli.stdout.write(`${JSON.stringify({ columns, rows: table.rows }, null, 2)}\n`);
    else if (isChart) cli.stdout.write(`${drawing(cli, question, { columns, table })}\n`);
    else printRows(cli, columns, table);
  });
  addExamples(
    query,
    "telemetry query meter-1:power --chart",
    "telemetry query meter-1 --from yesterday --to today -g 1h",
    "telemetry query meter-1:power pv-1:power --from -7d -g 15m -a max --chart",
    "telemetry query meter-1:energy --from -30d -g 1d -a delta --timezone Europe/Berlin",
    "telemetry query battery-1:soc,status -g 5m --fill locf:1h -o csv > soc.csv",
  );
}

type Asked = QueryFlags & { readonly isChart: boolean };

function settingsOf(cli: Cli, flags: Asked): Settings {
  const now = Date.now();
  const [from, to] = [parseTime("--from", flags.from, now), parseTime("--to", flags.to, now)];
  if (from >= to) throw new UsageError("--from must be before --to");
  const buckets = flags.isChart ? 2 * (cli.stdout.columns ?? DEFAULT_COLUMNS) : TABLE_BUCKETS;
  const granularity = flags.granularity ?? granularityFor(to - from, buckets);
  if (parseDuration(granularity) === undefined && CALENDAR_STEPS[granularity] === undefined) {
    throw new UsageError(`--granularity must be a duration such as 5m, not "${granularity}"`);
  }
  return {
    from: from / 1000,
    to: to / 1000,
    granularity,
    aggregation: flags.aggregation,
    ...(flags.timezone !== undefined && { timezone: flags.timezone }),
    ...(flags.fill !== undefined && { gap_filling: parseFill(flags.fill) }),
  };
}

type Settings = Omit<TimeseriesQuestion, "telemetry"> & {
  readonly from: number;
  readonly to: number;
  readonly granularity: string;
};

function parseFill(text: string): GapFilling {
  const [, method, lookAround] = /^(locf|none)(?::(.+))?$/.exec(text) ?? [];
  if (method === undefined || (lookAround !== undefined && parseDuration(lookAround) === undefined)) {
    throw new UsageError(`--fill must be locf, or locf:1h to look back before the start, not "${text}"`);
  }
  if (method === "none") return { method };
  return { method: "locf", ...(lookAround !== undefined && { look_around: lookAround }) };
}

function nameOf({ device, attribute, unit }: Column): string {
  return `${device}:${attribute}${unit === undefined ? "" : ` ${unit}`}`;
}

type Row = Table["rows"][number];

function printRows(cli: Cli, columns: readonly Column[], { rows }: Table): void {
  if (rows.length === 0) {
    remark(cli, "nothing is known in this range");
    return;
  }
  const headings = columns.map((column, i): [string, (row: Row) => Row[number]] => [
    `${nameOf(column)}${columns.slice(0, i).some((one) => nameOf(one) === nameOf(column)) ? ` (${i + 1})` : ""}`,
    (row) => shownValue(row[i + 1] ?? null),
  ]);
  const cells = Object.fromEntries([["TIME", (row: Row) => renderInstant(instant(row[0] * 1000))], ...headings]);
  cli.stdout.write(`${renderTable(cells, rows, { colour: cli.stdout.hasColors?.() === true })}\n`);
}

/** Means have more digits than they have meaning; CSV and JSON give all of them. */
function shownValue(value: Row[number]): Row[number] {
  if (typeof value === "string") return cutText(value);
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value;
}

function drawing(
  cli: Cli,
  { from, to, granularity }: Settings,
  { columns, table }: { readonly columns: readonly Column[]; readonly table: Table },
): string {
  const series = columns.map(({ device, attribute, unit }, i): ChartSeries => {
    const points = table.rows.flatMap((row) => {
      const value = row[i + 1];
      return value === null || value === undefined ? [] : [{ at: row[0] * 1000, value }];
    });
    return { name: `${device}:${attribute}`, unit, points };
  });
  return renderChart(series, {
    from: from * 1000,
    to: to * 1000,
    stepMs: CALENDAR_STEPS[granularity] ?? Number(parseDuration(granularity) ?? 0n) / 1e6,
    columns: cli.stdout.columns ?? DEFAULT_COLUMNS,
    colour: cli.stdout.hasColors?.() === true,
  });
}
