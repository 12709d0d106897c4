import { matchPath } from "#web/router/paths.ts";

/** No address of a screen is nearly as long. */
const MAX_LENGTH = 2_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers leave some of them out, and so read another address than the one that was checked
const UNSAFE = /[\u0000-\u0020\u007f\\]/;

/**
 * The address of a screen of this page, as path and query, or undefined: whatever leads to another server, or is none of the
 * page's own screens, is not gone to. The sign-in itself is no place to go on.
 */
export function screenAddress(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > MAX_LENGTH || UNSAFE.test(text)) return undefined;
  if (!text.startsWith("/") || text.startsWith("//")) return undefined;
  const { pathname, search, origin } = new URL(text, OWN);
  // Dots in a path are resolved: what comes out has to be safe, too.
  if (origin !== OWN || pathname.startsWith("//")) return undefined;
  const screen = matchPath(pathname);
  return screen === undefined || screen.name === "signIn" ? undefined : pathname + search;
}

/** Stands for the page's own origin, whatever that is. */
const OWN = "http://page.invalid";
