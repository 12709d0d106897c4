import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { PageRequest } from "#service/ports/page.ts";
import type { ReadDatabase } from "#store/database.ts";
import { listExecutions } from "./execution-list.ts";
import { type PageQuery, selectRows } from "./where.ts";

/** Reads that may touch many rows, by name. Each runs on a reading thread. */
export const READS = {
  rows: (database: ReadDatabase, input: { readonly query: PageQuery; readonly page: PageRequest }) =>
    selectRows(database, input.page, input.query),
  executions: (database: ReadDatabase, input: { readonly filter: ExecutionFilter; readonly page: PageRequest }) =>
    listExecutions(database, input.filter, input.page),
};

export type Reads = typeof READS;
