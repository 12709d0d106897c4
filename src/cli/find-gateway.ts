import { listAll } from "#client/list-all.ts";
import { findNamed } from "./find-named.ts";
import type { Session } from "./session.ts";

/** The id of a gateway that is given by its id or name. One that has joined counts before revoked ones of its name. */
export function findGateway({ client, wait }: Session, idOrName: string): Promise<string> {
  const list = async () => {
    const all = await wait(Array.fromAsync(listAll("gateways", client.gateways.list)));
    const joined = new Set(all.filter(({ revoked_at }) => revoked_at === null).map(({ name }) => name));
    return all.filter(({ revoked_at, name }) => revoked_at === null || !joined.has(name));
  };
  return findNamed("gateway", list, idOrName);
}
