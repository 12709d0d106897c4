// Views that an earlier version of the page kept in this browser, for each site. They move to the server once.

export type SavedView = { readonly name: string /** With its question mark. */; readonly query: string };

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

const VIEWS = "busbar.explore.views";

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

function write(storage: Storage, key: string, value: object): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // A browser may refuse storage. Then the views move once more.
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
