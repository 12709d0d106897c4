import { nearestOf } from "#core/text/nearest.ts";
import { UsageError } from "./usage-error.ts";

type Named = { readonly id: string; readonly name: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a `noun` that is given by its id or its name, if only one has that name. */
export async function findNamed(
  noun: "site" | "gateway" | "channel" | "route" | "account",
  list: () => Promise<readonly Named[]>,
  idOrName: string,
): Promise<string> {
  if (UUID.test(idOrName)) return idOrName;
  const all = await list();
  if (all.some(({ id }) => id === idOrName)) return idOrName;
  const wanted = idOrName.toLowerCase();
  const exact = all.filter(({ name }) => name === idOrName);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => name.toLowerCase() === wanted);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first.id;
  if (first !== undefined) {
    const choices = found.map(({ id, name }) => `  ${id}  ${name}`);
    throw new UsageError([`several ${noun}s have the name "${idOrName}"; give the id:`, ...choices].join("\n"));
  }
  const close = nearestOf(
    idOrName,
    all.map(({ name }) => name),
  );
  throw new UsageError(
    `there is no ${noun} "${idOrName}"${close === undefined ? "" : `; did you mean "${close}"?`}\n  busbar ${noun} list shows them all`,
  );
}
