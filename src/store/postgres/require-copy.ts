import { clientConfig } from "./connect.ts";
import { DatabaseClient } from "./database-client.ts";
import { serverTrouble } from "./trouble.ts";

/** Distinguishes one installation from another. Both are NULL before the first node has started. */
const WHICH = "SELECT encode(seal_key_check, 'hex') AS which FROM installation";
/** The tables have not come to the copy yet. */
const NO_TABLE = "42P01";

/**
 * Refuses a server that does not follow the other one: its answers would be about something else. False when the copy
 * cannot be asked now.
 */
export async function requireCopy(url: string, copy: string): Promise<boolean> {
  const [own, its] = await Promise.all([whichAt(url), whichAt(copy)]);
  if (own === "away" || its === "away") return false;
  if (its === undefined || own === its) return true;
  throw new Error("database.read_url names a server with another installation; it has to follow that of database.url");
}

async function whichAt(url: string): Promise<string | undefined> {
  const client = new DatabaseClient(clientConfig(url));
  client.on("error", () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ which: string | null }>(WHICH);
    return rows[0]?.which ?? undefined;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === NO_TABLE) return undefined;
    if (serverTrouble(error) === undefined) throw error;
    return "away";
  } finally {
    await client.end().catch(() => {});
  }
}
