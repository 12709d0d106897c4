import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Connection } from "#store/sqlite/connection.ts";
import { tempFolder } from "../../../../test/support/temp-folder.ts";
import { endsAfter } from "./read-rows.ts";

const HOUR = 3_600_000;

test.each([
  ["an hour that ends later", `${HOUR}`, HOUR, 1],
  ["an hour that ended", `${HOUR}`, 2 * HOUR, 0],
  ["an impossible length", "7", 2 * HOUR, 1],
  ["a negative length", "-3600000", 2 * HOUR, 1],
  ["a length that is a text", "'x'", 2 * HOUR, 1],
  ["no length at all", "NULL", 2 * HOUR, 1],
])("a row with %s is seen or not", (_, span, at, expected) => {
  const database = new Connection(join(tempFolder(), "rows.db"), "write");
  onTestFinished(() => database.close());
  const row = database.get(`SELECT ${endsAfter("c")} AS seen FROM (SELECT ${HOUR} AS start, ${span} AS span) c`, at);
  expect(row?.["seen"]).toBe(expected);
});
