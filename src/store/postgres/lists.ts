import { refuse } from "#core/app-error.ts";
import { createFairShare } from "#core/share/fair-share.ts";
import type { ReadDatabase } from "#store/database.ts";
import { listExecutions, readRest } from "#store/records/execution-list.ts";
import type { Lists } from "#store/records/lists.ts";
import { readRows } from "#store/records/stored-json.ts";
import { selectRows } from "#store/records/where.ts";

/** How many lists are read at once, in all and for one caller. The cost of a turn is its time in milliseconds. */
const LIMITS = { slots: 6, slotsPerKey: 3, waiting: 512, waitingPerKey: 64, quantum: 5 };

/** Lists and counts. A caller that reads a lot delays only itself. */
export function createLists(reader: ReadDatabase): Lists {
  const share = createFairShare(LIMITS);

  async function inTurn<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const turn = share.enter(key);
    if (turn === undefined) throw refuse("overloaded", "too many lists are being read; try again in a moment");
    const leave = await turn;
    const began = performance.now();
    try {
      return await read();
    } finally {
      leave(performance.now() - began);
    }
  }

  return {
    async page(page, { columns, from, where, order, whose, read }) {
      const query = { columns, from, order, where: where.sql, values: where.values };
      const { rows, total } = await inTurn(whose ?? from, () => selectRows(reader, page, query));
      return { items: readRows(reader, { table: from, rows }, (row) => read(row, reader)), total };
    },
    async executions(filter, page) {
      const key = filter.deviceIds?.[0] ?? filter.siteId ?? "executions";
      const { items, total, rest } = await inTurn(key, () => listExecutions(reader, filter, page));
      return rest.length === 0 ? { items, total } : { items, total, rest: readRest(reader, rest) };
    },
  };
}
