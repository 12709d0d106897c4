// `busbar database spread`: the tables of an installation over the servers of Citus.
import type { Config } from "#config";
import { spreadDatabase as spread } from "#store/postgres/spread-database.ts";

interface SpreadOptions {
  readonly config: Config;
  readonly say: (text: string) => void;
}

export async function spreadDatabase({ config, say }: SpreadOptions): Promise<boolean> {
  const url = config.database.url?.reveal();
  if (url === undefined)
    throw new Error("set database.url (BUSBAR_DATABASE_URL): only PostgreSQL can be spread, by Citus");
  return await spread(url, (table) => say(`${table} ...`));
}
