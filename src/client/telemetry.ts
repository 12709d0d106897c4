import type { ErrorItem } from "./errors.ts";
import type { Answers, Snapshot, TimeseriesQuestion } from "./resources.ts";
import { segment } from "./segment.ts";
import { readColumns, type TimeseriesColumns } from "./timeseries-columns.ts";
import type { Transport } from "./transport.ts";

export type Now = {
  /** Device to attribute to value, by the names as asked. */
  readonly devices: Readonly<Record<string, Readonly<Record<string, Snapshot>>>>;
  readonly errors: readonly ErrorItem[];
};

/** Time series as JSON: the first cell of a row is its time in Unix seconds; null is no value. */
export type TimeseriesRows = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly (number | string | boolean | null)[])[];
};

export type ExportQuery = {
  /** RFC 3339. */
  readonly from?: string;
  readonly to?: string;
  readonly attributes?: readonly string[];
  readonly form?: "csv" | "jsonl" | "parquet";
  readonly shape?: "wide" | "long";
  readonly time?: "unix" | "iso" | "local";
};

type Signal = { readonly signal?: AbortSignal };

/** An answer that brings nothing for this long has broken off. */
const SILENCE_MS = 60_000;

export function telemetry({ json, open, stream }: Transport) {
  const csv = (question: TimeseriesQuestion, call: Signal) =>
    open(
      { method: "POST", path: "/telemetry/v1/timeseries", body: question, headers: { Accept: "text/csv" }, ...call },
      { silence: SILENCE_MS, isEndless: false },
    );
  return {
    now: (devices: Readonly<Record<string, readonly string[]>>) =>
      json<Now>({
        method: "GET",
        path: "/telemetry/v1/now",
        query: Object.fromEntries(Object.entries(devices).map(([device, names]) => [`devices[${device}]`, names])),
      }),
    /** All values that the device has and the caller may read, by attribute. */
    ofDevice: (device: string) =>
      json<{ readonly telemetry: Readonly<Record<string, Snapshot>> }>({
        method: "GET",
        path: `/v3/devices/${segment(device)}/telemetry`,
      }),
    /** CSV as it comes, header first. */
    timeseries: async (question: TimeseriesQuestion, call: Signal = {}) => (await csv(question, call)).pieces,
    /** The same as columns, numbers in typed arrays: for ranges that fit into memory. */
    columns: async (question: TimeseriesQuestion, call: Signal = {}): Promise<TimeseriesColumns> => {
      const { pieces, ownHeader } = await csv(question, call);
      return readColumns(pieces, ownHeader("Timeseries-Data-Types"));
    },
    /** The same as rows, all at once. */
    rows: (question: TimeseriesQuestion, call: Signal = {}) =>
      json<TimeseriesRows>({ method: "POST", path: "/telemetry/v1/timeseries", body: question, ...call }),
    /** Every point of a device as it comes, in order of time. `form` is csv, jsonl or parquet. */
    export: (device: string, query: ExportQuery = {}) =>
      stream(
        {
          method: "GET",
          path: `/v3/devices/${segment(device)}/telemetry/export`,
          query,
          headers: { Accept: "*/*" },
        },
        { silence: SILENCE_MS, isEndless: false },
      ),
    /** CSV with a header; what is answered is durable. */
    import: (device: string, csv: Uint8Array) =>
      json<Answers["importTelemetry"]>({
        method: "POST",
        path: `/v3/devices/${segment(device)}/telemetry/import`,
        bytes: { type: "text/csv", content: csv },
      }),
  };
}
