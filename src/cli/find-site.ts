import { listAll } from "#client/list-all.ts";
import { findNamed } from "./find-named.ts";
import type { Session } from "./session.ts";

/** The id of a site that is given by its id or its name, if only one has that name. */
export const findSite = ({ client, wait }: Session, idOrName: string): Promise<string> =>
  findNamed("site", () => wait(Array.fromAsync(listAll("sites", client.sites.list))), idOrName);

/** The same for several, if any are given. */
export async function findSites(
  session: Session,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  return given === undefined ? undefined : await Promise.all(given.map((one) => findSite(session, one)));
}
