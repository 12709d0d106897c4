// The form of a time series: CSV unless the client prefers another one.
import { columnNames } from "#core/telemetry/column-names.ts";
import type { Rendering } from "#core/telemetry/render/renderers.ts";
import type { Timeseries } from "#service/telemetry/read-timeseries.ts";
import { renderHeader, type TimeseriesInput } from "#service/telemetry/timeseries-wire.ts";

const FORMS = ["csv", "json", "jsonl", "parquet"] as const;
export type TimeseriesForm = (typeof FORMS)[number];

/** The first one is the content type of the answer. */
const CONTENT_TYPES: Readonly<Record<TimeseriesForm, readonly [string, ...string[]]>> = {
  csv: ["text/csv"],
  json: ["application/json"],
  jsonl: ["application/jsonl", "application/x-ndjson", "application/x-jsonlines"],
  parquet: ["application/vnd.apache.parquet", "application/x-parquet"],
};

export const OTHER_TYPES = FORMS.filter((form) => form !== "csv").map(contentTypeOf);

export function contentTypeOf(form: TimeseriesForm): string {
  return CONTENT_TYPES[form][0];
}

/**
 * The form that the header prefers. CSV wins ties, so a client that takes anything gets CSV, and so does one that takes
 * nothing that there is: its header was never read before.
 */
export function preferredForm(accept: string | undefined): TimeseriesForm {
  const ranges = (accept ?? "").split(",").map((part) => {
    const [type = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    const quality = parameters.find((text) => text.startsWith("q="));
    return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
  });
  const qualityOf = (form: TimeseriesForm): number => {
    const all = CONTENT_TYPES[form].map((type) => {
      const [main = ""] = type.split("/");
      // The most specific range counts.
      for (const wanted of [type, `${main}/*`, "*/*"]) {
        const found = ranges.find((range) => range.type === wanted);
        if (found !== undefined) return found.quality;
      }
      return 0;
    });
    return Math.max(...all);
  };
  const [csv, ...others] = FORMS.map((form) => ({ form, quality: qualityOf(form) }));
  return others.reduce((best, one) => (one.quality > best.quality ? one : best), csv ?? { form: "csv", quality: 0 })
    .form;
}

/** How a form writes the rows. */
export function renderingOf(form: TimeseriesForm, input: TimeseriesInput, columns: Timeseries["columns"]): Rendering {
  if (form === "csv") return { renderer: "csv", settings: { header: renderHeader(input, columns) } };
  const described = describeColumns(input, columns);
  if (form === "json") {
    const before = `{"columns":${JSON.stringify([{ name: "ts", type: "float" }, ...described])},"rows":[`;
    return { renderer: "json", settings: { before, behind: "\n]}\n" } };
  }
  if (form === "jsonl") return { renderer: "jsonl", settings: { names: described.map(({ name }) => name) } };
  const kinds = { float: "number", integer: "number", boolean: "boolean", string: "text" } as const;
  return {
    renderer: "parquet",
    settings: {
      columns: described.map(({ name, type }) => ({ name, kind: kinds[type] })),
      notes: { columns: JSON.stringify(described) },
    },
  };
}

/** What the header cells of the CSV say, as objects. */
function describeColumns({ series }: TimeseriesInput, columns: Timeseries["columns"]) {
  const described = columns.flatMap(({ series: index, aggregation, type }) => {
    const { device, attribute, header } = series[index] ?? {};
    if (device === undefined || attribute === undefined || header === undefined) return [];
    return [{ device, attribute, aggregation, type, header }];
  });
  const names = columnNames(described.map((one) => ({ ...one, granularity: one.header.granularity })));
  return described.map(({ device, attribute, aggregation, type, header }, i) => ({
    name: names[i] ?? "",
    type,
    telemetry: attribute,
    device,
    aggregation,
    granularity: header.granularity,
    ...(header.timezone !== undefined && { timezone: header.timezone }),
    ...(header.lookAround !== undefined && {
      gap_filling_method: "locf",
      gap_filling_look_around: header.lookAround,
    }),
  }));
}
