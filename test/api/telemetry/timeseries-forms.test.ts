// Forms of a time series beside CSV hold the same rows, short and long.
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { beforeAll, expect, test } from "vitest";
import { check } from "../../support/check.ts";
import { useServer } from "../../support/server.ts";
import { useTelemetry } from "../../support/telemetry.ts";

const busbar = useServer(["--mqtt-port", "0"]);
const kit = useTelemetry(busbar);
const PARQUET = "application/vnd.apache.parquet";

beforeAll(async () => {
  const meter = await kit.connect("meter");
  await meter.send('0 power=1.5 running=true note="a,\u00e4"; 60 power=-3e-7; 120 running=false note="" tags=["x"]');
});

const SHORT = { from: 0, to: 3600, granularity: "1m" };
/** A row per second: many blocks, and more than one row group. */
const LONG = { from: 0, to: 60_000, granularity: "1s", gap_filling: { method: "locf" } };
const ATTRIBUTES = ["power", "running", "note", "tags"];

function as(accept: string, question: object) {
  const telemetry = [{ device: "meter", attribute: ATTRIBUTES }];
  const json = { aggregation: "last", telemetry, ...question };
  return busbar.admin.call("POST", "/telemetry/v1/timeseries", { json, headers: { Accept: accept } });
}

/** Rows of the CSV as values. */
async function csvRows(question: object): Promise<readonly (readonly unknown[])[]> {
  const { text } = await as("text/csv", question);
  return text
    .split("\n")
    .slice(1, -1)
    .map((line) => {
      const cells = [...line.matchAll(/(?:^|,)("(?:[^"]|"")*"|[^,]*)/g)].map(([, cell = ""]) => cell);
      const [ts, power, running, ...texts] = cells;
      const unquoted = texts.map((cell) => (cell === "" ? null : cell.replace(/^"|"$/g, "").replaceAll('""', '"')));
      return [Number(ts), power === "" ? null : Number(power), running === "" ? null : running === "true", ...unquoted];
    });
}

/** Comparing tens of thousands of rows one by one takes seconds. */
function expectSame(rows: readonly unknown[], expected: readonly unknown[]): void {
  if (JSON.stringify(rows) !== JSON.stringify(expected)) expect(rows).toEqual(expected);
}

const NAMES = ATTRIBUTES.map((attribute) => `meter:${attribute}`);

test.each([
  ["short", SHORT, 3],
  ["long", LONG, 60_000],
])("a %s answer has the same rows in every form", async (_, question, count) => {
  const expected = await csvRows(question);
  expect(expected).toHaveLength(count);

  const json = await as("application/json", question);
  expect(json.headers.get("content-type")).toBe("application/json");
  const { columns, rows } = JSON.parse(json.text);
  expect(columns.map(({ name }: { name: string }) => name)).toEqual(["ts", ...NAMES]);
  expectSame(rows, expected);

  const lines = await as("application/x-ndjson", question);
  expect(lines.headers.get("content-type")).toBe("application/jsonl");
  const objects = lines.text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expectSame(
    objects.map((one) => [one.ts, ...NAMES.map((name) => one[name] ?? null)]),
    expected,
  );

  const parquet = await as(PARQUET, question);
  expect(parquet.headers.get("content-type")).toBe(PARQUET);
  const file = parquet.content;
  const read = await parquetReadObjects({ file });
  const shown = read.map((one) => [Number(one["ts"]) / 1_000, ...NAMES.map((name) => one[name] ?? null)]);
  expectSame(shown, expected);
  const { key_value_metadata } = parquetMetadata(file);
  expect(JSON.parse(key_value_metadata?.[0]?.value ?? "")).toMatchObject([
    { name: "meter:power", type: "float" },
    {},
    {},
    {},
  ]);
});

check("series.other-forms", async () => {
  expect((await as("*/*", SHORT)).headers.get("content-type")).toBe("text/csv");
  expect((await as("application/json", SHORT)).body).toMatchObject({
    columns: [{ name: "ts" }, { telemetry: "power", type: "float" }, { type: "boolean" }, { type: "string" }, {}],
    rows: [
      [0, 1.5, true, "a,ä", null],
      [60, -3e-7, null, null, null],
      [120, null, false, "", '["x"]'],
    ],
  });
  const [, second] = (await as("application/jsonl", SHORT)).text.split("\n");
  expect(second).toBe('{"ts":60,"meter:power":-3e-7}');
  expect((await as(PARQUET, SHORT)).text.slice(0, 4)).toBe("PAR1");
});

test("an answer without rows is complete in every form", async () => {
  const question = { ...SHORT, from: 3000 };
  expect((await as("application/json", question)).body).toMatchObject({ rows: [] });
  expect((await as("application/jsonl", question)).text).toBe("");
  expect(await parquetReadObjects({ file: (await as(PARQUET, question)).content })).toEqual([]);
});

test("a mistake is reported in JSON, whatever form was asked for", async () => {
  const refused = await as(PARQUET, { ...SHORT, granularity: "soon" });
  expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json"]);
});
