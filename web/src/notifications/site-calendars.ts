import { listAll } from "#client/list-all.ts";
import { client } from "#web/data/client.ts";

/** Names of the calendars that quiet hours and routes may go by. */
export const calendarNames = async (site: string): Promise<readonly string[]> =>
  (await Array.fromAsync(listAll("calendars", (window) => client.calendars.list(site, window)))).map(
    ({ name }) => name,
  );
