import { callOf } from "./perform.ts";
import type { Queries, TimeseriesQuestion } from "./resources.ts";
import { currentTelemetry, deviceTelemetry } from "./telemetry-now.ts";
import { readColumns, type TimeseriesColumns } from "./timeseries-columns.ts";
import { SILENCE_MS, timeseriesCsv } from "./timeseries-csv.ts";
import type { Transport } from "./transport.ts";

/** Time series as JSON: the first cell of a row is its time in Unix seconds; null is no value. */
export type TimeseriesRows = {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly (number | string | boolean | null)[])[];
};

type Signal = { readonly signal?: AbortSignal };

export function telemetry(transport: Transport) {
  const { perform, json, stream } = transport;
  return {
    now: (devices: Readonly<Record<string, readonly string[]>>) => currentTelemetry(transport, devices),
    /** All values that the device has and the caller may read, by attribute. */
    ofDevice: (device_id: string) => deviceTelemetry(transport, device_id),
    /** CSV as it comes, header first. */
    timeseries: async (question: TimeseriesQuestion, call: Signal = {}) =>
      (await timeseriesCsv(transport, question, call)).pieces,
    /** The same as columns, numbers in typed arrays: for ranges that fit into memory. */
    columns: async (question: TimeseriesQuestion, call: Signal = {}): Promise<TimeseriesColumns> => {
      const { pieces, ownHeader } = await timeseriesCsv(transport, question, call);
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
