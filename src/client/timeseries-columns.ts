import { CsvReader, type CsvRow } from "#core/telemetry/read-csv.ts";

/** A cell without quotes that is empty has no value; `""` is an empty text. */
type Cell = string | null;

/** What the header cell of a column says. */
type ColumnLabel = {
  readonly device: string;
  readonly attribute: string;
  readonly aggregation: string;
  readonly granularity: string;
  /** Everything, such as `gap_filling_method`. */
  readonly labels: Readonly<Record<string, string>>;
};

/** Values beside the times of the answer. */
export type SeriesColumn = ColumnLabel &
  (
    | { readonly type: "float" | "integer" /** NaN where there is no value. */; readonly values: Float64Array }
    | { readonly type: "string"; readonly values: readonly (string | null)[] }
    | { readonly type: "boolean"; readonly values: readonly (boolean | null)[] }
  );

export type TimeseriesColumns = {
  /** Unix seconds, rising. */
  readonly times: Float64Array;
  readonly columns: readonly SeriesColumn[];
};

type Intake = { readonly add: (cell: Cell) => void; readonly done: () => Pick<SeriesColumn, "type" | "values"> };

/** `types` is the header `Timeseries-Data-Types` of the answer. */
export async function readColumns(pieces: AsyncIterable<Uint8Array>, types: string | null): Promise<TimeseriesColumns> {
  const times = createNumbers();
  const intakes = (types ?? "")
    .split(",")
    .filter((type) => type !== "")
    .map((type) => createIntake(type.trim()));
  let labels: readonly ColumnLabel[] | undefined;
  const take = (row: readonly Cell[]) => {
    if (labels === undefined) {
      labels = row.slice(1).map(parseLabel);
      if (labels.length !== intakes.length) throw new Error("the answer does not say the type of each column");
      return;
    }
    times.add(row[0] ?? null);
    for (const [index, intake] of intakes.entries()) intake.add(row[index + 1] ?? null);
  };
  const csv = new CsvReader();
  const decoder = new TextDecoder();
  for await (const piece of pieces)
    for (const row of csv.push(decoder.decode(piece, { stream: true }))) take(cellsOf(row));
  for (const row of csv.push(decoder.decode())) take(cellsOf(row));
  const last = csv.end();
  if (last !== undefined) take(cellsOf(last));
  const columns = (labels ?? []).map((label, index) => ({ ...label, ...intakes[index]?.done() }) as SeriesColumn);
  return { times: times.done(), columns };
}

function cellsOf({ cells, emptyTexts }: CsvRow): readonly Cell[] {
  return cells.map((cell, at) => (cell === "" && emptyTexts?.has(at) !== true ? null : cell));
}

function createIntake(type: string): Intake {
  if (type === "float" || type === "integer") {
    const numbers = createNumbers();
    return { add: numbers.add, done: () => ({ type, values: numbers.done() }) };
  }
  if (type === "boolean") {
    const values: (boolean | null)[] = [];
    return { add: (cell) => void values.push(cell === null ? null : cell === "true"), done: () => ({ type, values }) };
  }
  const values: Cell[] = [];
  return { add: (cell) => void values.push(cell), done: () => ({ type: "string", values }) };
}

/** Grows by doubling: 8 bytes a number, where an array of numbers and nulls takes more. */
function createNumbers() {
  let values = new Float64Array(256);
  let count = 0;
  return {
    add: (cell: Cell): void => {
      if (count === values.length) {
        const larger = new Float64Array(count * 2);
        larger.set(values);
        values = larger;
      }
      values[count] = cell === null ? Number.NaN : Number(cell);
      count += 1;
    },
    done: () => values.slice(0, count),
  };
}

/** `telemetry=power device=pcs aggregation=avg granularity=1m`, and more pairs like these. */
function parseLabel(cell: Cell): ColumnLabel {
  const pairs = (cell ?? "").split(" ").map((pair) => {
    const [name = "", ...value] = pair.split("=");
    return [name, value.join("=")] as const;
  });
  const labels = Object.fromEntries(pairs);
  const { device = "", telemetry = "", aggregation = "", granularity = "" } = labels;
  return { device, attribute: telemetry, aggregation, granularity, labels };
}
