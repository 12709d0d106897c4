import { clientConfig } from "./connect.ts";
import { DatabaseClient } from "./database-client.ts";

export interface StoredPassword {
  readonly hardwareId: string;
  /** Undefined where the password is not known in the form of the broker. */
  readonly password: string | undefined;
}

const AT_ONCE = 10_000;

/** Those of all devices, beside nodes that run. */
export async function* readBrokerPasswords(url: string): AsyncIterable<StoredPassword> {
  const client = new DatabaseClient(clientConfig(url));
  client.on("error", () => {});
  await client.connect();
  try {
    for (let after = ""; ; ) {
      const { rows } = await client.query<{ name: string; password: string | null }>(
        `SELECT hardware_id AS name, broker_password AS password FROM device_credential
         WHERE hardware_id > $1 ORDER BY hardware_id LIMIT ${AT_ONCE}`,
        [after],
      );
      for (const { name, password } of rows) yield { hardwareId: name, password: password ?? undefined };
      const last = rows.at(-1);
      if (last === undefined || rows.length < AT_ONCE) return;
      after = last.name;
    }
  } finally {
    await client.end();
  }
}
