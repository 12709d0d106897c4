// Views that an earlier version of the page kept in this browser, for each site. They move to the server once. And the query
// that somebody looked at last, which stays here.

export type SavedView = { readonly name: string /** With its question mark. */; readonly query: string };

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

const VIEWS = "busbar.explore.views";
const LAST = "busbar.explore.last";
/** Of sites and persons of this browser. */
const MOST_LAST = 20;

/** What is not understood is left out: another version of the page may have written it. */
export function browserViews(storage: Storage, site: string): readonly SavedView[] {
  const list = readAll(storage, VIEWS)[site];
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const { name, query } = (one ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof query === "string" && query.startsWith("?") ? [{ name, query }] : [];
  });
}

/**
 * Gives each view of this browser to `save`, and forgets those that were saved. Returns how many. One that fails stays here
 * for the next time.
 */
export async function moveViews(
  storage: Storage,
  site: string,
  save: (view: SavedView) => Promise<unknown>,
): Promise<number> {
  let moved = 0;
  for (const view of browserViews(storage, site)) {
    try {
      await save(view);
    } catch {
      break;
    }
    moved += 1;
    const { [site]: _, ...others } = readAll(storage, VIEWS);
    const left = browserViews(storage, site).filter(({ name }) => name !== view.name);
    write(storage, VIEWS, left.length === 0 ? others : { ...others, [site]: left });
  }
  return moved;
}

/** Of one person on one site. */
export type Whose = { readonly site: string; readonly person: string };

const keyOf = ({ site, person }: Whose) => `${person} ${site}`;

export function readLast(storage: Storage, whose: Whose): string | undefined {
  const query = readAll(storage, LAST)[keyOf(whose)];
  return typeof query === "string" && query.startsWith("?") ? query : undefined;
}

export function writeLast(storage: Storage, whose: Whose, query: string): void {
  const { [keyOf(whose)]: _, ...others } = readAll(storage, LAST);
  const kept = Object.entries(others).slice(1 - MOST_LAST);
  write(storage, LAST, { ...Object.fromEntries(kept), [keyOf(whose)]: query });
}

function write(storage: Storage, key: string, value: object): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser may refuse storage. Then the page begins as on the first visit.
  }
}

function readAll(storage: Storage, key: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
