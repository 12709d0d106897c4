import pg from "pg";

/** Deletes all telemetry. */
export async function emptyTelemetry(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    `TRUNCATE telemetry_device, telemetry_series, telemetry_journal, telemetry_segment, telemetry_chunk,
     telemetry_latest, telemetry_held RESTART IDENTITY;
     UPDATE telemetry_partition SET epoch = 0;
     UPDATE telemetry_number SET last = 0`,
  );
  await client.end();
}
