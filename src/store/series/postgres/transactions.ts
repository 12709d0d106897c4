import type { QueryResult, QueryResultRow } from "pg";
import type { Connection } from "#store/postgres/connect.ts";
import { serverTrouble } from "#store/postgres/trouble.ts";

export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
}

export interface Transactions {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<QueryResult<Row>>;
  /** All of them or none. They are sent one behind the other, without waiting for answers. */
  run(statements: readonly Statement[]): Promise<void>;
}

export function createTransactions(connection: Connection): Transactions {
  const guarded = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw serverTrouble(error) ?? error;
    }
  };
  return {
    query: (sql, values = []) =>
      guarded(async () => (await connection.get()).query({ text: sql, values: [...values] })),
    run: (statements) =>
      guarded(async () => {
        if (statements.length === 0) return;
        const client = await connection.get();
        const sent = [
          client.query("BEGIN"),
          ...statements.map(({ sql, values }) => client.query({ text: sql, values: [...values] })),
          // After an error this undoes the transaction.
          client.query("COMMIT"),
        ];
        const settled = await Promise.allSettled(sent);
        const failed = settled.find((one) => one.status === "rejected");
        if (failed !== undefined) throw failed.reason;
      }),
  };
}
