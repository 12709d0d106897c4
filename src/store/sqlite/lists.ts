// Lists and counts. A query that touches few rows runs at once on the main thread, everything else on a reading thread.
// So no list holds up other callers, whatever its filters, its offset and the size of its table.
import type { ReadDatabase } from "#store/database.ts";
import { listFewExecutions, readRest } from "#store/records/execution-list.ts";
import type { Lists } from "#store/records/lists.ts";
import { number } from "#store/records/row.ts";
import { readRows } from "#store/records/stored-json.ts";
import { type Selection, selectRows } from "#store/records/where.ts";
import type { ReadPool } from "./read-pool.ts";

/** Rows that a list may touch on the main thread: about a millisecond. */
const FEW_ROWS = 1_000;

export function createLists(reader: ReadDatabase, pool: ReadPool): Lists {
  async function isSmall({ from, range }: Selection<unknown>): Promise<boolean> {
    const sql = `SELECT count(*) AS total FROM (SELECT 1 FROM ${from}${range?.sql ?? ""} LIMIT ${FEW_ROWS + 1}) AS some`;
    return number(await reader.one(sql, ...(range?.values ?? [])), "total") <= FEW_ROWS;
  }

  return {
    async page(page, selection) {
      const { columns, from, where, order, whose } = selection;
      const query = { columns, from, order, where: where.sql, values: where.values };
      const { rows, total } = (await isSmall(selection))
        ? await selectRows(reader, page, query)
        : await pool.run(whose ?? from, "rows", { query, page });
      return { items: readRows(reader, { table: from, rows }, (row) => selection.read(row, reader)), total };
    },
    async executions(filter, page) {
      const { items, total, rest } =
        (await listFewExecutions(reader, filter, page)) ??
        (await pool.run(filter.deviceIds?.[0] ?? filter.siteId ?? "executions", "executions", { filter, page }));
      return rest.length === 0 ? { items, total } : { items, total, rest: readRest(reader, rest) };
    },
  };
}
