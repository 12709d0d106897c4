import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { everyRow } from "#store/records/every-row.ts";
import { tempFolder } from "../../../test/support/temp-folder.ts";
import { Connection } from "./connection.ts";

test.each([0, 1, 4, 5, 12])("%i rows are read in pages, each in a turn of its own", async (count) => {
  const database = new Connection(join(tempFolder(), "rows.db"), "write");
  onTestFinished(() => database.close());
  database.script("CREATE TABLE thing (id TEXT PRIMARY KEY, kind TEXT) STRICT");
  const ids = Array.from({ length: count }, (_, n) => `id-${String(n).padStart(3, "0")}`);
  for (const id of ids) database.run("INSERT INTO thing VALUES (?, 'a')", id);
  database.run("INSERT INTO thing VALUES ('id-zzz', 'b')");
  let turn = 0;
  const pages: number[] = [];
  const nextTurn = () => {
    turn++;
    immediate = setImmediate(nextTurn);
  };
  let immediate = setImmediate(nextTurn);
  onTestFinished(() => clearImmediate(immediate));
  const reader = {
    all: (sql: string, ...values: readonly string[]) => {
      pages.push(turn);
      return database.all(sql, ...values);
    },
  };
  const rows = await everyRow(reader as never, { columns: "id", from: "thing", where: "kind = 'a'" }, 4);
  expect(rows.map((row) => row["id"])).toEqual(ids);
  expect(new Set(pages).size).toBe(Math.floor(count / 4) + 1);
});
