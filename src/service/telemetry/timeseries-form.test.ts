import { expect, test } from "vitest";
import { preferredForm } from "./timeseries-form.ts";

test.each([
  [undefined, "csv"],
  ["", "csv"],
  ["*/*", "csv"],
  ["text/csv", "csv"],
  ["text/*", "csv"],
  // What a well-known HTTP client sends on its own.
  ["application/json, text/plain, */*", "csv"],
  ["application/json, text/csv", "csv"],
  ["image/png", "csv"],
  ["application/json", "json"],
  ["Application/JSON; charset=utf-8", "json"],
  ["application/json, */*;q=0.1", "json"],
  ["text/csv;q=0.5, application/x-ndjson", "jsonl"],
  ["application/jsonl", "jsonl"],
  ["application/vnd.apache.parquet", "parquet"],
  ["text/csv;q=0, */*", "json"],
  ["application/json;q=nonsense, text/csv;q=0.1", "csv"],
])("the header %j asks for %s", (accept, form) => {
  expect(preferredForm(accept)).toBe(form);
});
