// The records of one side as SQLite in memory: the schema and the statements are the real ones, only the file is missing.
// It survives the crashes of a schedule, can be copied like a backup, and is used again for the next schedule.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Row, Value } from "#store/database.ts";
import { type Connection, compiledOnce } from "#store/sqlite/connection.ts";
import { migrate } from "#store/sqlite/migrate.ts";

export type TableCopies = ReadonlyMap<string, readonly (readonly SQLInputValue[])[]>;

/** What the store uses of a connection. */
type Used = Omit<Connection, "close" | "tidy" | "snapshot">;

/** How a table is copied whose rows refer to each other: each row after its parent. */
const COPIES = new Map([
  [
    "device",
    `WITH RECURSIVE tree (id, depth) AS (
       SELECT id, 0 FROM device WHERE parent_id IS NULL
       UNION ALL SELECT device.id, depth + 1 FROM tree JOIN device ON device.parent_id = tree.id
     ) SELECT device.* FROM tree JOIN device USING (id) ORDER BY depth`,
  ],
]);

export class MemoryDatabase implements Used {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  readonly #tables: readonly string[];
  onDamaged = (place: string) => {
    throw new Error(`a stored value cannot be read: ${place}`);
  };

  constructor() {
    migrate(this.asConnection);
    const found = this.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'");
    this.#tables = this.#parentsFirst(found.map(({ name }) => String(name)).filter((name) => name !== "migration"));
    this.script("PRAGMA foreign_keys = ON");
  }

  /** Each table after those that it refers to. */
  #parentsFirst(tables: readonly string[]): readonly string[] {
    const sorted = new Set<string>();
    const add = (table: string, above: readonly string[]): void => {
      if (sorted.has(table) || above.includes(table)) return;
      for (const { table: parent } of this.all(`PRAGMA foreign_key_list(${table})`))
        add(String(parent), [...above, table]);
      sorted.add(table);
    };
    for (const table of tables) add(table, []);
    return [...sorted];
  }

  /** A connection has private fields, so nothing else has its type. */
  get asConnection(): Connection {
    return this as unknown as Connection;
  }

  get(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#prepare(sql).get(...(values as SQLInputValue[]));
  }

  one(sql: string, ...values: readonly Value[]): Row {
    const row = this.get(sql, ...values);
    if (row === undefined) throw new Error(`no row came of: ${sql}`);
    return row;
  }

  all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#prepare(sql).all(...(values as SQLInputValue[]));
  }

  lists(sql: string, ...values: readonly Value[]): readonly (readonly unknown[])[] {
    const statement = this.#prepare(`${sql} `);
    statement.setReturnArrays(true);
    return statement.all(...(values as SQLInputValue[])) as unknown as readonly (readonly unknown[])[];
  }

  run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#prepare(sql).run(...(values as SQLInputValue[])).changes);
  }

  script(sql: string): void {
    this.#database.exec(sql);
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction;
  }

  copy(): TableCopies {
    return new Map(
      this.#tables.map((table) => [table, this.lists(COPIES.get(table) ?? `SELECT * FROM ${table}`)] as const),
    ) as TableCopies;
  }

  /**
   * Everything is as it was when the copy was made; without a copy, nothing is stored. Foreign keys stay on: turning them
   * off and on would make SQLite compile every statement again, which took half of the time of a schedule.
   */
  replace(copy: TableCopies = new Map()): void {
    this.script("BEGIN");
    for (const table of this.#tables.toReversed()) this.run(`DELETE FROM ${table}`);
    // Deleting executions has left a mark here.
    this.run("DELETE FROM execution_change");
    for (const table of this.#tables) {
      for (const row of copy.get(table) ?? []) {
        this.run(`INSERT INTO ${table} VALUES (${row.map(() => "?").join(", ")})`, ...(row as Value[]));
      }
    }
    this.script("COMMIT");
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(compiledOnce(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
