import { listAll } from "#client/list-all.ts";
import { nearestOf } from "#core/text/nearest.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a site that is given by its id or its name, if only one has that name. */
export async function findSite({ client, wait }: Session, idOrName: string): Promise<string> {
  if (UUID.test(idOrName)) return idOrName;
  const sites = await wait(Array.fromAsync(listAll("sites", client.sites.list)));
  if (sites.some((site) => site.id === idOrName)) return idOrName;
  const wanted = idOrName.toLowerCase();
  const exact = sites.filter((site) => site.name === idOrName);
  const found = exact.length > 0 ? exact : sites.filter((site) => site.name.toLowerCase() === wanted);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.id;
  if (first !== undefined) {
    const choices = found.map((site) => `  ${site.id}  ${site.name}`);
    throw new UsageError([`several sites have the name "${idOrName}"; give the id:`, ...choices].join("\n"));
  }
  const close = nearestOf(
    idOrName,
    sites.map((site) => site.name),
  );
  throw new UsageError(
    `there is no site "${idOrName}"${close === undefined ? "" : `; did you mean "${close}"?`}\n  busbar site list shows them all`,
  );
}

/** The same for several, if any are given. */
export async function findSites(
  session: Session,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  return given === undefined ? undefined : await Promise.all(given.map((one) => findSite(session, one)));
}
