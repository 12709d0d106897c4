/** The sign-in itself, and the address of a screen on a wall. */
const PLACES = /^\/(?:sign-in|sites\/[^/]+\/kiosk\/[^/]+)$/;

/**
 * The code of an invitation `/sign-in#invitation=...`, or of a one-time link `/sign-in#code=...` or `/sites/.../kiosk/...#code=...`. It is taken out of the address bar and the history at once: nobody
 * should copy or share an address that holds it.
 */
export function takeCode(): {
  readonly code: string | undefined;
  readonly invitation: string | undefined;
  /** The link of the first start: whoever opens it is offered an account. */
  readonly isFirst: boolean;
} {
  if (!PLACES.test(location.pathname)) return { code: undefined, invitation: undefined, isFirst: false };
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== "") history.replaceState(null, "", location.pathname);
  return {
    code: given.get("code") ?? undefined,
    invitation: given.get("invitation") ?? undefined,
    isFirst: given.has("first"),
  };
}
