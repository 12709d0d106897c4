import { untrack } from "svelte";
import { matchPath, type QueryChange, type RouteName } from "./paths.ts";
import { parseQuery, type Query } from "./query.ts";

type Place = {
  /** Undefined: there is no such screen. */
  readonly name: RouteName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: Query;
};

/** Addresses that the server answers itself: a click on them leaves the page. */
const SERVER_PATHS = /^\/(v3|api|telemetry|docs|openapi\.json|schemas|healthz|readyz|metrics|assets)(\/|$)/;

let place = $state.raw<Place>(read());

/** Where the page is. Everything that a person can share is in the address. */
export const router = {
  get name() {
    return place.name;
  },
  get params() {
    return place.params;
  },
  get path() {
    return place.path;
  },
  get query() {
    return place.query;
  },
  go(address: string, { replace = false }: { readonly replace?: boolean } = {}): void {
    if (replace) history.replaceState(null, "", address);
    else history.pushState(null, "", address);
    // Whoever goes somewhere does not depend on where the page is: an effect that did would run again without end.
    const before = untrack(() => place.path);
    const next = read();
    place = next;
    if (next.path !== before) window.scrollTo(0, 0);
  },
  /** Changes filters of this screen. A filter is no step back; what opens something is (`replace: false`). */
  setQuery(change: QueryChange, { replace = true }: { readonly replace?: boolean } = {}): void {
    const address = untrack(() => place.path + place.query.with(change));
    router.go(address, { replace });
  },
};

/** Follows the browser's own buttons, and clicks on links of this page. */
export function startRouter(): () => void {
  const onPop = () => {
    place = read();
  };
  const onClick = (event: MouseEvent) => {
    const address = addressOf(event);
    if (address === undefined) return;
    event.preventDefault();
    router.go(address);
  };
  window.addEventListener("popstate", onPop);
  document.addEventListener("click", onClick);
  return () => {
    window.removeEventListener("popstate", onPop);
    document.removeEventListener("click", onClick);
  };
}

function addressOf(event: MouseEvent): string | undefined {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return undefined;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.target !== "" || link.hasAttribute("download") || link.origin !== location.origin)
    return undefined;
  if (SERVER_PATHS.test(link.pathname) || !link.hasAttribute("href")) return undefined;
  // A link to a place on the same screen is the browser's own work.
  if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return undefined;
  return link.pathname + link.search;
}

function read(): Place {
  const { pathname, search } = typeof location === "undefined" ? { pathname: "/", search: "" } : location;
  const match = matchPath(pathname);
  return { name: match?.name, params: match?.params ?? {}, path: pathname, query: parseQuery(search) };
}
