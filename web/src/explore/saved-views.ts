// Views that somebody saved in this browser: a name and the query of the address, for each site.

export type SavedView = { readonly name: string /** With its question mark. */; readonly query: string };

type Storage = Pick<globalThis.Storage, "getItem" | "setItem">;

const KEY = "busbar.explore.views";
/** A browser gives a page little room, and a longer list helps nobody. */
const MOST = 50;

/** What is not understood is left out: another version of the page may have written it. */
export function readViews(storage: Storage, site: string): readonly SavedView[] {
  const list = readAll(storage)[site];
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const { name, query } = (one ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof query === "string" && query.startsWith("?") ? [{ name, query }] : [];
  });
}

/** A view with the same name is replaced; the newest comes first. */
export function saveView(storage: Storage, site: string, view: SavedView): readonly SavedView[] {
  const others = readViews(storage, site).filter(({ name }) => name !== view.name);
  return write(storage, site, [view, ...others].slice(0, MOST));
}

export function deleteView(storage: Storage, site: string, name: string): readonly SavedView[] {
  return write(
    storage,
    site,
    readViews(storage, site).filter((one) => one.name !== name),
  );
}

function write(storage: Storage, site: string, views: readonly SavedView[]): readonly SavedView[] {
  try {
    storage.setItem(KEY, JSON.stringify({ ...readAll(storage), [site]: views }));
  } catch {
    // A browser may refuse storage. Then the list holds until the page is closed.
  }
  return views;
}

function readAll(storage: Storage): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(storage.getItem(KEY) ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
