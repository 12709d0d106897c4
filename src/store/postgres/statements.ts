// Statements over one connection, prepared once each.
import type pg from "pg";
import type { ClientBase, QueryResult } from "pg";
import type { DamageLog, Database, Row, Value } from "#store/database.ts";
import { storable } from "#store/records/storable.ts";
import { toPostgres } from "./to-postgres.ts";
import { serverTrouble } from "./trouble.ts";

interface Prepared {
  readonly name: string;
  readonly text: string;
}

const prepared = new Map<string, Prepared>();

/** The records use a bounded number of SQL texts, so preparing them is bounded, too. */
function prepare(sql: string): Prepared {
  let known = prepared.get(sql);
  if (known === undefined) {
    known = { name: `b${prepared.size}`, text: toPostgres(sql) };
    prepared.set(sql, known);
  }
  return known;
}

type Client = Pick<ClientBase, "query">;

/** What is asked within one turn leaves in one packet. The connection has to send without waiting for answers. */
export function packStatements(client: ClientBase): Client {
  const query = (...asked: Parameters<ClientBase["query"]>) => {
    const { stream } = (client as unknown as pg.Client).connection;
    if (stream.writableCorked === 0) {
      stream.cork();
      process.nextTick(() => stream.uncork());
    }
    return client.query(...asked);
  };
  return { query: query as unknown as ClientBase["query"] };
}

/** `damage` gets the places of values that cannot be read. */
export function statementsOn(client: Client, { onDamaged }: DamageLog): Database {
  async function query(sql: string, values: readonly Value[]): Promise<QueryResult<Record<string, unknown>>> {
    try {
      return await client.query({ ...prepare(sql), values: [...storable(values)] });
    } catch (error) {
      throw serverTrouble(error) ?? error;
    }
  }

  return {
    get: async (sql, ...values) => (await query(sql, values)).rows[0] as Row | undefined,
    one: async (sql, ...values) => {
      const row = (await query(sql, values)).rows[0];
      if (row === undefined) throw new Error(`no row came of: ${sql}`);
      return row;
    },
    all: async (sql, ...values) => (await query(sql, values)).rows,
    run: async (sql, ...values) => (await query(sql, values)).rowCount ?? 0,
    onDamaged,
  };
}
