import { expect } from "vitest";
import type { Awaitable } from "#store/awaitable.ts";
import { SPANS } from "#store/records/execution-spans.ts";

type ReadRows = (sql: string) => Awaitable<readonly Record<string, unknown>[]>;

/** The counters that lists are made of say what the rows say, and nothing is counted that is not there. */
export async function expectCountersRight(rows: ReadRows): Promise<void> {
  const groups = await rows("SELECT group_id, count(*) AS n FROM execution GROUP BY group_id ORDER BY 1");
  const totals = await rows("SELECT id AS group_id, total AS n FROM execution_group WHERE total <> 0 ORDER BY 1");
  expect(totals).toEqual(groups);
  for (const { table, column, ms } of SPANS) {
    const counted = await rows(
      `SELECT group_id, created_at / ${ms} AS ${column}, count(*) AS count FROM execution
       WHERE is_open = 0 GROUP BY 1, 2 ORDER BY 1, 2`,
    );
    expect(await rows(`SELECT group_id, ${column}, count FROM ${table} ORDER BY 1, 2`)).toEqual(counted);
  }
}
