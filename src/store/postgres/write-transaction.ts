// What the writes of one transaction share: the connection, the numbers of its changes, and what they have sent.
import type { ClientBase } from "pg";
import type { WriteDatabase } from "#store/database.ts";
import { number } from "#store/records/row.ts";
import { CHANGES_PER_TRANSACTION, SETTLED } from "./change-numbers.ts";
import { lockNumber } from "./lock-number.ts";
import { packStatements, type StatementNeeds, statementsOn } from "./statements.ts";

/** What nearly every write has to know, by one statement. */
const START = `SELECT base + pg_current_xact_id()::text::bigint * ${CHANGES_PER_TRANSACTION} AS first,
    coalesce((SELECT total FROM event ORDER BY position DESC LIMIT 1), 0) AS total,
    (SELECT count(*) FROM uplink) AS clouds
  FROM change_base`;

export interface WriteTransaction extends WriteDatabase {
  /** The answers to all that was sent and that no write waits for. */
  readonly sent: readonly Promise<unknown>[];
}

export function createTransaction(
  connection: ClientBase,
  damage: StatementNeeds,
  { onEvent, eventBytes }: { readonly onEvent: () => void; readonly eventBytes: number },
): WriteTransaction {
  const database = statementsOn(packStatements(connection), damage);
  const sent: Promise<unknown>[] = [];
  const shared = new Map<string, unknown>();
  let start: ReturnType<typeof readStart> | undefined;
  let changes = 0;
  let added = 0;

  async function readStart() {
    const row = await database.one(START);
    return { first: number(row, "first"), total: number(row, "total"), clouds: number(row, "clouds") };
  }

  function started() {
    start ??= readStart();
    return start;
  }

  async function run(...statement: Parameters<WriteDatabase["run"]>): Promise<number> {
    return await database.run(...statement);
  }

  function send(...statement: Parameters<WriteDatabase["run"]>): Promise<number> {
    const answer = run(...statement);
    sent.push(answer);
    // Whoever ends the transaction looks at them all.
    answer.catch(() => {});
    return answer;
  }

  return {
    ...database,
    sent,
    send: (...statement) => void send(...statement),
    add: (...statement) => void send(...statement),
    replace: (_, ...statement) => void send(...statement),
    row: (insert, ...values) => void send(`${insert} VALUES (${values.map(() => "?").join(", ")})`, ...values),
    last: send,
    shared<Value>(key: string, read: () => Value) {
      const known = shared.get(key) as Value | undefined;
      if (known !== undefined) return known;
      const value = read();
      shared.set(key, value);
      return value;
    },
    hasCloud: async () => (await started()).clouds > 0,
    async nextChange() {
      const place = changes++;
      if (place >= CHANGES_PER_TRANSACTION) throw new Error("a transaction has too many changes");
      return (await started()).first + place;
    },
    async nextEventTotal(bytes) {
      added += bytes;
      const here = added;
      return (await started()).total + here;
    },
    settledChange: async () => number(await database.one(SETTLED), "settled"),
    eventBytes,
    async tryLock(name) {
      const row = await database.one("SELECT pg_try_advisory_xact_lock(?) AS mine", String(lockNumber(name)));
      return row["mine"] === true;
    },
    // Events are handed on when they are visible to all nodes.
    announce: onEvent,
  };
}
