import { listAll } from "#client/list-all.ts";
import type { Window } from "#client/page.ts";
import { findNamed } from "./find-named.ts";
import type { Session } from "./session.ts";

/** The id of a notification channel of a site that is given by its id or name. */
export function findChannel({ client, wait }: Session, site: string, idOrName: string): Promise<string> {
  const page = (window: Window) => client.notifications.channels(site, window);
  return findNamed("channel", () => wait(Array.fromAsync(listAll("channels", page))), idOrName);
}

/** The same of a notification route. */
export function findRoute({ client, wait }: Session, site: string, idOrName: string): Promise<string> {
  const page = (window: Window) => client.notifications.routes(site, window);
  return findNamed("route", () => wait(Array.fromAsync(listAll("routes", page))), idOrName);
}

/** The names of the channels of a site, by id. */
export async function channelNames({ client, wait }: Session, site: string): Promise<ReadonlyMap<string, string>> {
  const page = (window: Window) => client.notifications.channels(site, window);
  const all = await wait(Array.fromAsync(listAll("channels", page)));
  return new Map(all.map(({ id, name }) => [id, name]));
}
