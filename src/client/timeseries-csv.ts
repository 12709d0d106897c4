import { callOf } from "./perform.ts";
import type { TimeseriesQuestion } from "./resources.ts";
import type { Transport } from "./transport.ts";

/** An answer that brings nothing for this long has broken off. */
export const SILENCE_MS = 60_000;

/** Time series as CSV, as it comes, header first. */
export const timeseriesCsv = (
  { open }: Transport,
  body: TimeseriesQuestion,
  call: { readonly signal?: AbortSignal } = {},
) =>
  open(callOf("getTimeseries", { body, headers: { Accept: "text/csv" }, ...call }), {
    silence: SILENCE_MS,
    isEndless: false,
  });
