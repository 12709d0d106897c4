import type { Database, Row } from "#store/database.ts";

/** About a millisecond of the main thread. */
const AT_ONCE = 500;

interface Table {
  readonly columns: string;
  readonly from: string;
  /** Without an order; rows come by their ids. */
  readonly where?: string;
}

/** All rows of a table with ids, read in small pages: others have their turn between two of them. */
export async function everyRow(
  reader: Pick<Database, "all">,
  { columns, from, where = "1 = 1" }: Table,
  atOnce = AT_ONCE,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let after = ""; ; ) {
    const page = await reader.all(
      `SELECT ${columns} FROM ${from} WHERE ${where} AND id > ? ORDER BY id LIMIT ${atOnce}`,
      after,
    );
    rows.push(...page);
    const last = page.at(-1)?.["id"];
    if (page.length < atOnce || typeof last !== "string") return rows;
    after = last;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
