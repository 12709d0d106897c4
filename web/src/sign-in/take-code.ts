/**
 * The code of a one-time link `/sign-in#code=...`. It is taken out of the address bar and the history at once: nobody
 * should copy or share an address that holds it.
 */
export function takeCode(): string | undefined {
  if (location.pathname !== "/sign-in") return undefined;
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (location.hash !== "") history.replaceState(null, "", "/sign-in");
  return code ?? undefined;
}
