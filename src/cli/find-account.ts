import { listAll } from "#client/list-all.ts";
import { findNamed } from "./find-named.ts";
import type { Session } from "./session.ts";

/** The id of the account of a person who is given by id, name or mail address. */
export function findAccount({ client, wait }: Session, person: string): Promise<string> {
  const list = async () => {
    const all = await wait(Array.fromAsync(listAll("accounts", client.accounts.list)));
    return all.flatMap(({ id, name, mail }) =>
      name === mail
        ? [{ id, name }]
        : [
            { id, name },
            { id, name: mail },
          ],
    );
  };
  return findNamed("account", list, person);
}
