import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { TIME_WORDS } from "#cli/parse-time.ts";
import { remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { cutText, renderTable } from "#cli/table.ts";
import { type AskedColumn, itemOf, nameOf, type ShownColumn, shownColumns } from "#cli/telemetry/asked-columns.ts";
import { checkColumns } from "#cli/telemetry/check-columns.ts";
import { collectRows, type Table } from "#cli/telemetry/collect-rows.ts";
import { describeColumns } from "#cli/telemetry/describe-columns.ts";
import { type ParsedQuestion, parseQuestion, type QuestionFlags } from "#cli/telemetry/parse-question.ts";
import { type ChartSeries, renderChart } from "#cli/telemetry/render-chart.ts";
import { stepOf } from "#cli/telemetry/series-settings.ts";
import { writeOutput } from "#cli/write-output.ts";
import type { Client } from "#client/create-client.ts";
import { AGGREGATIONS } from "#core/telemetry/aggregation.ts";
import { instant, renderInstant } from "#core/time/instant.ts";

type QueryFlags = Omit<ClientFlags, "output"> &
  QuestionFlags & {
    readonly chart?: true;
    readonly output: "table" | "csv" | "json";
  };

const DEFAULT_COLUMNS = 100;
/** Rows of a table that fit on a few screens; a chart takes as many as it has dots. */
const TABLE_BUCKETS = 60;

const ABOUT = `
The options hold for all series. After an @, a series has settings of its own, separated by commas:
  aggregation=max  granularity=5m  fill=locf:1h (or none)  timezone=Europe/Berlin
The same attribute may be named several times. The aggregation min_max gives two columns, the least and the greatest value.`;

export function addQueryCommand(telemetry: Command, cli: Cli): void {
  const aggregation = new Option("-a, --aggregation <function>", "what a bucket shows").default("auto");
  // Shown and completed; checked with the settings of the series, so that all mistakes are reported at once.
  aggregation.argChoices = [...AGGREGATIONS];
  const query = telemetry
    .command("query")
    .argument(
      "<device[:attributes][@settings]...>",
      "devices, with attributes or all of them, and settings of their own",
    )
    .description("Show time series: a table, a chart, or CSV and JSON for programs.")
    .option("--from <time>", `start: ${TIME_WORDS}`, "-24h")
    .option("--to <time>", "end, not included", "now")
    .option("-g, --granularity <duration>", "length of a bucket (default what fits the range)")
    .addOption(aggregation)
    .option(
      "--timezone <name>",
      "with -g 1d, 1w, 1M or 1y: the time zone of these days, weeks, months and years, such as Europe/Berlin",
    )
    .option("--fill <method>", "fill gaps: locf, or locf:1h to look that far back before the start")
    .option("--chart", "draw it")
    .addOption(
      new Option("-o, --output <format>", "how to print it").choices(["table", "csv", "json"]).default("table"),
    )
    .addHelpText("after", ABOUT);
  addConnectionOptions(query).action(async (words: readonly string[], flags: QueryFlags) => {
    const isChart = flags.chart === true && flags.output === "table";
    const buckets = isChart ? 2 * (cli.stdout.columns ?? DEFAULT_COLUMNS) : TABLE_BUCKETS;
    const parsed = parseQuestion(words, flags, { now: Date.now(), buckets });
    const { client, wait } = await openSession(cli, { ...flags, output: "table" });
    const asked = await wait(describeAsked(client, parsed));
    checkColumns(asked);
    const range = { from: parsed.from / 1000, to: parsed.to / 1000 };
    const question = { ...range, ...parsed.settings, telemetry: asked.map(itemOf) };
    const answer = await wait(client.telemetry.timeseries(question));
    if (flags.output === "csv") {
      for await (const piece of answer) await writeOutput(cli, piece);
      return;
    }
    const columns = shownColumns(asked, parsed.settings);
    const table = await wait(collectRows(answer, columns));
    if (flags.output === "json") cli.stdout.write(`${renderJson(columns, table)}\n`);
    else if (isChart) cli.stdout.write(`${drawing(cli, parsed, { columns, table })}\n`);
    else printRows(cli, columns, table);
  });
  addExamples(
    query,
    "telemetry query meter-1:power --chart",
    "telemetry query meter-1 --from yesterday --to today -g 1h",
    "telemetry query meter-1:power pv-1:power --from -7d -g 15m -a max --chart",
    "telemetry query meter-1:energy --from -30d -g 1d -a delta --timezone Europe/Berlin",
    "telemetry query battery-1:soc,status -g 5m --fill locf:1h -o csv > soc.csv",
    "telemetry query meter-1:power@aggregation=min_max,granularity=1h meter-1:energy@aggregation=delta -g 15m",
    "telemetry query battery-1:soc@fill=locf:1h battery-1:power -g 5m --chart",
  );
}

async function describeAsked(client: Client, { series }: ParsedQuestion): Promise<readonly AskedColumn[]> {
  const asked: AskedColumn[] = [];
  for (const { own, ...one } of series) {
    for (const column of await describeColumns(client, [one])) asked.push({ ...column, own });
  }
  return asked;
}

function renderJson(columns: readonly ShownColumn[], { rows }: Table): string {
  return JSON.stringify({ columns: columns.map(({ label: _, ...column }) => column), rows }, null, 2);
}

type Row = Table["rows"][number];

function printRows(cli: Cli, columns: readonly ShownColumn[], { rows }: Table): void {
  if (rows.length === 0) {
    remark(cli, "nothing is known in this range");
    return;
  }
  const names = columns.map((column) => `${nameOf(column)}${column.unit === undefined ? "" : ` ${column.unit}`}`);
  const headings = names.map((name, i): [string, (row: Row) => Row[number]] => [
    `${name}${names.indexOf(name) < i ? ` (${i + 1})` : ""}`,
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
  { from, to }: ParsedQuestion,
  { columns, table }: { readonly columns: readonly ShownColumn[]; readonly table: Table },
): string {
  const series = columns.map((column, i): ChartSeries => {
    const points = table.rows.flatMap((row) => {
      const value = row[i + 1];
      return value === null || value === undefined ? [] : [{ at: row[0] * 1000, value }];
    });
    return { name: nameOf(column), unit: column.unit, stepMs: stepOf(column.granularity), points };
  });
  return renderChart(series, {
    from,
    to,
    columns: cli.stdout.columns ?? DEFAULT_COLUMNS,
    colour: cli.stdout.hasColors?.() === true,
  });
}
