import type { ErrorItem } from "./errors.ts";
import { callOf } from "./perform.ts";
import type { Queries, Snapshot, TimeseriesQuestion } from "./resources.ts";
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

type Signal = { readonly signal?: AbortSignal };

/** An answer that brings nothing for this long has broken off. */
const SILENCE_MS = 60_000;

export function telemetry({ perform, json, open, stream }: Transport) {
  const csv = (body: TimeseriesQuestion, call: Signal) =>
    open(callOf("getTimeseries", { body, headers: { Accept: "text/csv" }, ...call }), {
      silence: SILENCE_MS,
      isEndless: false,
    });
  return {
    now: (devices: Readonly<Record<string, readonly string[]>>) =>
      json<Now>(callOf("getCurrentTelemetry", { query: { devices } })),
    /** All values that the device has and the caller may read, by attribute. */
    ofDevice: (device_id: string) =>
      json<{ readonly telemetry: Readonly<Record<string, Snapshot>> }>(
        callOf("getDeviceTelemetry", { params: { device_id } }),
      ),
    /** CSV as it comes, header first. */
    timeseries: async (question: TimeseriesQuestion, call: Signal = {}) => (await csv(question, call)).pieces,
    /** The same as columns, numbers in typed arrays: for ranges that fit into memory. */
    columns: async (question: TimeseriesQuestion, call: Signal = {}): Promise<TimeseriesColumns> => {
      const { pieces, ownHeader } = await csv(question, call);
      return readColumns(pieces, ownHeader("Timeseries-Data-Types"));
    },
    /** The same as rows, all at once. */
    rows: (body: TimeseriesQuestion, call: Signal = {}) =>
      json<TimeseriesRows>(callOf("getTimeseries", { body, ...call })),
    /** Every point of a device as it comes, in order of time. `form` is csv, jsonl or parquet. */
    export: (device_id: string, query: Queries["exportDeviceTelemetry"] = {}) =>
      stream(callOf("exportDeviceTelemetry", { params: { device_id }, query, headers: { Accept: "*/*" } }), {
        silence: SILENCE_MS,
        isEndless: false,
      }),
    /** CSV with a header; what is answered is durable. */
    import: (device_id: string, csv: Uint8Array) =>
      perform("importTelemetry", { params: { device_id }, bytes: { type: "text/csv", content: csv } }),
  };
}
