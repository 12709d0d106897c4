// Statements over one connection, prepared once each.
import type pg from "pg";
import type { ClientBase, QueryResult } from "pg";
import type { DamageLog, Database, Row, Value } from "#store/database.ts";
import { storable } from "#store/records/storable.ts";
import { settleServers } from "./settle-servers.ts";
import { toPostgres, withArrays } from "./to-postgres.ts";
import { serverTrouble } from "./trouble.ts";

interface Prepared {
  readonly name: string;
  readonly text: string;
  /** Places of values that are lists, where they are bound as arrays. */
  readonly lists: readonly number[];
}

const prepared = new Map<string, Prepared>();
const preparedSpread = new Map<string, Prepared>();

/** The records use a bounded number of SQL texts, so preparing them is bounded, too. */
function prepare(sql: string, isSpread: boolean): Prepared {
  const all = isSpread ? preparedSpread : prepared;
  let known = all.get(sql);
  if (known === undefined) {
    const text = toPostgres(sql);
    known = { name: `b${all.size}`, ...(isSpread ? withArrays(text) : { text, lists: [] }) };
    all.set(sql, known);
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

export interface StatementNeeds extends DamageLog {
  /** Whether rows of devices are on several servers. */
  readonly isSpread?: boolean;
}

/** `onDamaged` gets the places of values that cannot be read. */
export function statementsOn(client: Client, { onDamaged, isSpread = false }: StatementNeeds): Database {
  async function query(sql: string, values: readonly Value[]): Promise<QueryResult<Record<string, unknown>>> {
    try {
      const { name, text, lists } = prepare(sql, isSpread);
      const bound: unknown[] = [...storable(values)];
      for (const place of lists) bound[place] = JSON.parse(String(bound[place]));
      return await client.query({ name, text, values: bound });
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
    ...(isSpread && { spread: { settle: () => settleServers(client) } }),
  };
}
