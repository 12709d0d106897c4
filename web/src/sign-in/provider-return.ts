const RETURN = "/sign-in/return";

/**
 * What the provider gave to the browser on its way back to `/sign-in/return?...`. It is taken out of the address bar and the history at
 * once: nobody should copy or share an address that holds it.
 */
export function takeProviderReturn(): string | undefined {
  if (location.pathname !== RETURN) return undefined;
  const parameters = location.search.slice(1);
  history.replaceState(null, "", "/sign-in");
  return parameters === "" ? undefined : parameters;
}
