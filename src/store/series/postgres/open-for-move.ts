// A PostgreSQL database as a side of a move.
import type { MoveSide } from "#store/move/move-side.ts";
import { sharedSide } from "#store/move/telemetry-sides.ts";
import { clientConfig, prepareDatabase } from "#store/postgres/connect.ts";
import { DatabaseClient } from "#store/postgres/database-client.ts";
import { beginMove, endMove } from "#store/postgres/move-mark.ts";
import { postgresTables } from "#store/postgres/record-tables.ts";
import type { OnDamaged } from "#store/series/chunk-store.ts";
import { SharedEngine } from "#store/series/shared-engine.ts";
import { lockForMove } from "./claims.ts";
import { openTables } from "./open-postgres-chunks.ts";

interface MoveOptions {
  readonly role: "from" | "to";
  /** Where a move to this database comes from. */
  readonly source: string;
  readonly onDamaged: OnDamaged;
}

export async function openDatabaseForMove(url: string, { role, source, onDamaged }: MoveOptions): Promise<MoveSide> {
  await prepareDatabase(url);
  // A large table takes longer than any call may.
  const client = new DatabaseClient({
    ...clientConfig(url),
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
  });
  // Statements fail by themselves when the connection is lost. An error that nobody listens to would end the program.
  client.on("error", () => {});
  await client.connect();
  try {
    if (!(await lockForMove(client))) throw new Error("a Busbar runs on this database: stop all of them first");
    if (role === "to") await beginMove(client, source);
    const store = await openTables(url, { forgetDamaged: false, onDamaged, isMove: true });
    if (role === "from") {
      const settings = { graceMs: 0, maxHotPoints: Number.POSITIVE_INFINITY };
      await new SharedEngine(store, settings, onDamaged).sealAll(Date.now());
    }
    return {
      tables: undefined,
      records: postgresTables(client),
      telemetry: sharedSide(store, onDamaged),
      held: {
        async read() {
          const { rows } = await client.query<[string, number, number, string]>({
            text: "SELECT device_id, at, arrived_at, points FROM telemetry_held ORDER BY id",
            rowMode: "array",
          });
          return rows;
        },
        async replace(rows) {
          await client.query("DELETE FROM telemetry_held");
          for (const row of rows)
            await client.query(
              "INSERT INTO telemetry_held (device_id, at, arrived_at, points) VALUES ($1, $2, $3, $4)",
              [...row],
            );
        },
      },
      finish: async () => {
        if (role === "to") await endMove(client);
      },
      async close() {
        await store.close();
        await client.end();
      },
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}
