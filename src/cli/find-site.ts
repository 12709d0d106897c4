import { listAll } from "#client/list-all.ts";
import type { AccessLevel } from "#client/resources.ts";
import { findNamed } from "./find-named.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

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

/** `SITE=LEVEL`, the site by its id or its name. */
export async function findSiteLevels(
  session: Session,
  given: readonly string[],
  levels: readonly AccessLevel[],
): Promise<readonly { readonly site_id: string; readonly level: AccessLevel }[]> {
  const pairs = given.map((one) => {
    const at = one.lastIndexOf("=");
    const level = levels.find((known) => known === one.slice(at + 1));
    if (at > 0 && level !== undefined) return { site: one.slice(0, at), level };
    throw new UsageError(`--site-level takes SITE=LEVEL, with a level of ${levels.join(", ")}; not ${one}`);
  });
  return await Promise.all(pairs.map(async ({ site, level }) => ({ site_id: await findSite(session, site), level })));
}
