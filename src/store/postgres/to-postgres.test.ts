import { expect, test } from "vitest";
import { toPostgres } from "./to-postgres.ts";

test.each([
  ["SELECT a FROM b WHERE c = ? AND d < ?", "SELECT a FROM b WHERE c = $1 AND d < $2"],
  [
    "x IN (SELECT value FROM json_each(?)) AND y = ?",
    "x = ANY (ARRAY(SELECT json_array_elements_text($1::json))) AND y = $2",
  ],
  ["x NOT IN (SELECT value FROM json_each(?))", "x <> ALL (ARRAY(SELECT json_array_elements_text($1::json)))"],
  [
    "x IN (SELECT CAST(value AS INTEGER) FROM json_each(?))",
    "x = ANY (ARRAY(SELECT json_array_elements_text($1::json)::bigint))",
  ],
  [
    "SELECT CAST(j.value AS INTEGER) AS id FROM json_each(?) j",
    "SELECT CAST(j.value AS bigint) AS id FROM json_array_elements_text($1::json) AS j(value)",
  ],
  [
    "SELECT 1 FROM json_each(webhook.sites) WHERE value = ?",
    "SELECT 1 FROM json_array_elements_text(webhook.sites::json) AS item(value) WHERE value = $1",
  ],
  ["WHERE device_id = ? AND +site_id = ?", "WHERE device_id = $1 AND site_id = $2"],
])("%s", (given, expected) => {
  expect(toPostgres(given)).toBe(expected);
});
