import type { Access, SiteScope } from "#core/access/caller.ts";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import type { PageRequest } from "#service/ports/page.ts";
import type { DamageLog, ReadDatabase, Row, Value } from "#store/database.ts";
import { listed, number } from "./row.ts";

/** Conditions with their values, joined by AND. */
export class Where {
  readonly #terms: string[] = [];
  readonly values: Value[] = [];

  and(term: string, ...values: readonly Value[]): this {
    this.#terms.push(term);
    this.values.push(...values);
    return this;
  }

  /** No list means no condition; an empty list matches nothing. */
  andIn(column: string, list: Iterable<string> | undefined): this {
    return list === undefined ? this : this.and(`${column} IN (SELECT value FROM json_each(?))`, listed(list));
  }

  andInScope(column: string, scope: SiteScope): this {
    return scope === "all" ? this : this.andIn(column, scope);
  }

  /** By the columns `read_level` and `site_id`: at each site what the level there may read. */
  andReadable({ level, siteLevels }: Omit<Access, "sites">): this {
    const terms = ["read_level <= ?"];
    const values: Value[] = [ACCESS_LEVELS.indexOf(level)];
    for (const more of new Set(siteLevels?.values())) {
      const sites = [...(siteLevels ?? [])].filter(([, one]) => one === more).map(([siteId]) => siteId);
      terms.push("(read_level <= ? AND site_id IN (SELECT value FROM json_each(?)))");
      values.push(ACCESS_LEVELS.indexOf(more), listed(sites));
    }
    return this.and(terms.length === 1 ? "read_level <= ?" : `(${terms.join(" OR ")})`, ...values);
  }

  get sql(): string {
    return this.#terms.length === 0 ? "" : ` WHERE ${this.#terms.join(" AND ")}`;
  }
}

/** A list as text and values, which can travel to another thread. */
export interface PageQuery {
  readonly columns: string;
  readonly from: string;
  readonly where: string;
  readonly values: readonly Value[];
  readonly order: string;
}

export interface Selection<Item> extends Omit<PageQuery, "where" | "values"> {
  readonly where: Where;
  /**
   * A part of `where` that an index answers. It bounds the rows that the list can touch; without it that is the whole
   * table.
   */
  readonly range?: Where;
  /** The key of the list's caller, where many share the threads: each waits only for its own long lists. */
  readonly whose?: string;
  /** Values that cannot be read are reported to `database`. */
  readonly read: (row: Row, database: DamageLog) => Item;
}

/** The rows of a page and the total count, both from one state of the records. */
export async function selectRows(
  database: ReadDatabase,
  page: PageRequest,
  { columns, from, where, values, order }: PageQuery,
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> {
  return database.snapshot(async (reader) => {
    const total = number(await reader.one(`SELECT count(*) AS total FROM ${from}${where}`, ...values), "total");
    if (page.limit === 0 || page.offset >= total) return { rows: [], total };
    const sql = `SELECT ${columns} FROM ${from}${where} ORDER BY ${order} LIMIT ? OFFSET ?`;
    return { rows: await reader.all(sql, ...values, page.limit, page.offset), total };
  });
}
