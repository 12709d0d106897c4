import type { SiteScope } from "#core/access/caller.ts";
import type { Page, PageRequest } from "#service/ports/page.ts";
import type { Connection, Row, Value } from "./connection.ts";
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

  get sql(): string {
    return this.#terms.length === 0 ? "" : ` WHERE ${this.#terms.join(" AND ")}`;
  }
}

interface Selection<Item> {
  readonly columns: string;
  readonly from: string;
  readonly where: Where;
  readonly order: string;
  readonly read: (row: Row) => Item;
}

export function selectPage<Item>(reader: Connection, page: PageRequest, selection: Selection<Item>): Page<Item> {
  const { columns, from, where, order, read } = selection;
  return reader.snapshot(() => {
    const counted = reader.get(`SELECT count(*) AS total FROM ${from}${where.sql}`, ...where.values);
    const total = counted === undefined ? 0 : number(counted, "total");
    if (page.limit === 0 || page.offset >= total) return { items: [], total };
    const rows = reader.all(
      `SELECT ${columns} FROM ${from}${where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
      ...where.values,
      page.limit,
      page.offset,
    );
    return { items: rows.map(read), total };
  });
}
