// Records as plain tables, for moves between databases. Both have the same tables and columns.
export type Cell = string | number | null | Uint8Array;

export interface TablePlan {
  readonly name: string;
  readonly columns: readonly string[];
  /** A column that refers to another row of the table, and the column that it refers to. */
  readonly parent: { readonly column: string; readonly key: string } | undefined;
}

export interface RecordTables {
  /** Some rows at a time, each with the cells in the order of the columns. */
  read(table: TablePlan): AsyncIterable<readonly (readonly Cell[])[]>;
  /** Replaces all records by what `fill` puts, in one transaction. */
  replace(
    tables: readonly TablePlan[],
    fill: (put: (table: TablePlan, rows: readonly (readonly Cell[])[]) => Promise<void>) => Promise<void>,
  ): Promise<void>;
}
