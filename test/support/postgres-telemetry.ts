import pg from "pg";
import { prepareDatabase } from "#store/postgres/connect.ts";

/** Makes the tables, and deletes all telemetry. */
export async function emptyTelemetry(url: string): Promise<void> {
  await prepareDatabase(url);
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `TRUNCATE telemetry_device, telemetry_series, telemetry_journal, telemetry_segment, telemetry_chunk,
     telemetry_latest, telemetry_held RESTART IDENTITY;
     UPDATE telemetry_partition SET epoch = 0`,
  );
  await client.end();
}
