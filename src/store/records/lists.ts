import type { Execution } from "#core/command/execution.ts";
import type { ExecutionFilter } from "#service/ports/execution-store.ts";
import type { LongPage, Page, PageRequest } from "#service/ports/page.ts";
import type { Selection } from "./where.ts";

/** Lists and counts. However many rows a list touches, it holds up no other caller. */
export interface Lists {
  page<Item>(page: PageRequest, selection: Selection<Item>): Promise<Page<Item>>;
  executions(filter: ExecutionFilter, page: PageRequest): Promise<LongPage<Execution>>;
}
