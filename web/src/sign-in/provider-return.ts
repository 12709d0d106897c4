import { router } from "#web/router/router.svelte.ts";
import { screenAddress } from "./screen-address.ts";

const RETURN = "/sign-in/return";
const SIGN_IN = "/sign-in";
/** Of this tab alone: the screen that the person wanted to see. */
const WANTED = "busbar.wanted-screen";
/** Of this tab: it left to link the own account, and not to sign in. The server knows better which of them it was. */
const LINK = "busbar.provider-link";

/** The screen at whose address the page asks for a sign-in. */
export const wantedScreen = (): string | undefined => screenAddress(location.pathname + location.search);

/** Before the page is left for the provider. A browser may refuse storage; then the person comes back to the first screen. */
export function keepWantedScreen({ isLink = false }: { readonly isLink?: boolean } = {}): void {
  try {
    if (isLink) sessionStorage.setItem(LINK, "yes");
    else sessionStorage.removeItem(LINK);
    const wanted = wantedScreen();
    if (wanted === undefined) sessionStorage.removeItem(WANTED);
    else sessionStorage.setItem(WANTED, wanted);
  } catch {
    // See above.
  }
}

/**
 * What the provider gave to the browser on its way back to `/sign-in/return?...`. It is taken out of the address bar and the history at
 * once: nobody should copy or share an address that holds it. The page goes on with the screen that was wanted.
 */
export function takeProviderReturn(): { readonly parameters: string; readonly isLink: boolean } | undefined {
  if (location.pathname !== RETURN) return undefined;
  const parameters = location.search.slice(1);
  router.go(takeWanted() ?? SIGN_IN, { replace: true });
  const isLink = takeLink();
  return parameters === "" ? undefined : { parameters, isLink };
}

function takeLink(): boolean {
  try {
    const isLink = sessionStorage.getItem(LINK) !== null;
    sessionStorage.removeItem(LINK);
    return isLink;
  } catch {
    return false;
  }
}

/** What is stored is checked as if somebody else had written it. */
function takeWanted(): string | undefined {
  try {
    const wanted = sessionStorage.getItem(WANTED);
    sessionStorage.removeItem(WANTED);
    return screenAddress(wanted);
  } catch {
    return undefined;
  }
}
