import { refuse } from "#core/app-error.ts";
import { createFairShare, type Leave } from "#core/share/fair-share.ts";
import type { ReadDatabase } from "#store/database.ts";
import { listExecutions, readRest } from "#store/records/execution-list.ts";
import type { Lists } from "#store/records/lists.ts";
import { readRows } from "#store/records/stored-json.ts";
import { selectRows } from "#store/records/where.ts";

/** How many lists are read at once, in all and for one caller. The cost of a turn is its time in milliseconds. */
const LIMITS = { slots: 6, slotsPerKey: 3, waiting: 512, waitingPerKey: 64, quantum: 5 };

/** Before a caller gives up, when the database is slow or does not answer. */
const WAIT_MS = 5_000;

/** The turn, or a refusal. A turn that comes too late is given back. */
async function withinWait(turn: Promise<Leave>): Promise<Leave> {
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(refuse("storage_unavailable", "lists take too long now; try again in a moment"));
    }, WAIT_MS);
  });
  const inTime = turn.then((leave) => {
    clearTimeout(timer);
    if (isLate) leave(0);
    return leave;
  });
  return await Promise.race([inTime, late]);
}

/** Lists and counts. A caller that reads a lot delays only itself. */
export function createLists(reader: ReadDatabase): Lists {
  const share = createFairShare(LIMITS);

  async function inTurn<Result>(key: string, read: () => Promise<Result>): Promise<Result> {
    const turn = share.enter(key);
    if (turn === undefined) throw refuse("overloaded", "too many lists are being read; try again in a moment");
    const leave = await (turn instanceof Promise ? withinWait(turn) : turn);
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
