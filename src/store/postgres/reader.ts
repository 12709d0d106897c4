import type { Pool } from "pg";
import type { Database, ReadDatabase } from "#store/database.ts";
import { number } from "#store/records/row.ts";
import { SETTLED } from "./change-numbers.ts";
import { type StatementNeeds, statementsOn } from "./statements.ts";
import { serverTrouble } from "./trouble.ts";

/** Reads over the pool: each statement over any free connection, a snapshot over one of its own. */
export function createReader(pool: Pool, damage: StatementNeeds): ReadDatabase {
  const plain = statementsOn(pool as unknown as Parameters<typeof statementsOn>[0], damage);
  return {
    ...plain,
    settledChange: () => settledChange(plain),
    async snapshot(reads) {
      const client = await connect(pool);
      let isUsable = false;
      try {
        const database = statementsOn(client, damage);
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        const reader: ReadDatabase = {
          ...database,
          settledChange: () => settledChange(database),
          snapshot: (more) => more(reader),
        };
        const result = await reads(reader);
        await client.query("COMMIT");
        isUsable = true;
        return result;
      } catch (error) {
        throw serverTrouble(error) ?? error;
      } finally {
        client.release(!isUsable);
      }
    },
  };
}

async function settledChange(database: Database): Promise<number> {
  const settled = number(await database.one(SETTLED), "settled");
  await database.spread?.settle();
  return settled;
}

async function connect(pool: Pool) {
  try {
    return await pool.connect();
  } catch (error) {
    throw serverTrouble(error) ?? error;
  }
}
