// Manifests that this browser keeps between visits: they are most of what a first screen waits for on a slow line. A stored
// blueprint never changes. What may be seen of it depends on the level, so each level has its own. They go with the sign-out.
import { attempt } from "./attempt.ts";

const KEY = "busbar.manifests";
/** Characters of all that is kept; a browser allows about five million. */
const MOST_TEXT = 1_000_000;

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;
/** Manifests by blueprint, the one that was put last at the end. */
type Kept = Record<string, object>;

export function createKeptManifests(store: Store | undefined) {
  /** Undefined: not read yet. */
  let kept: Kept | undefined;
  const key = (level: string, blueprintId: string) => `${level} ${blueprintId}`;

  return {
    find(level: string, blueprintId: string): object | undefined {
      kept ??= read(store);
      return kept[key(level, blueprintId)];
    },
    put(level: string, blueprintId: string, manifest: object): void {
      const name = key(level, blueprintId);
      const { [name]: _, ...others } = kept ?? read(store);
      kept = { ...others, [name]: manifest };
      write(store, kept);
    },
    forget(): void {
      kept = {};
      attempt(() => store?.removeItem(KEY));
    },
  };
}

function read(store: Store | undefined): Kept {
  const found = attempt(() => JSON.parse(store?.getItem(KEY) ?? "{}") as unknown);
  if (typeof found !== "object" || found === null) return {};
  return Object.fromEntries(Object.entries(found).filter(([, manifest]) => isObject(manifest)));
}

/** The oldest make room. */
function write(store: Store | undefined, kept: Kept): void {
  let text = JSON.stringify(kept);
  for (const name of Object.keys(kept)) {
    if (text.length <= MOST_TEXT) break;
    delete kept[name];
    text = JSON.stringify(kept);
  }
  attempt(() => store?.setItem(KEY, text));
}

const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
