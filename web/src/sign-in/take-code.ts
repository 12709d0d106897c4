/** The sign-in itself, and the address of a screen on a wall. */
const PLACES = /^\/(?:sign-in|sites\/[^/]+\/kiosk\/[^/]+)$/;

/**
 * The code of a one-time link `/sign-in#code=...` or `/sites/.../kiosk/...#code=...`. It is taken out of the address bar and the history at once: nobody
 * should copy or share an address that holds it.
 */
export function takeCode(): string | undefined {
  if (!PLACES.test(location.pathname)) return undefined;
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  return code ?? undefined;
}
