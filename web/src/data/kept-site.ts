// What this browser last knew of the site that was looked at last: the next visit shows it at once, as of then, while the
// site is read. It belongs to one session and to one build of the page. It goes with the sign-out.
import type { Device, Site, Snapshot } from "#client/resources.ts";
import { attempt } from "./attempt.ts";

const KEY = "busbar.site";
/** Characters. A site with more is not kept: writing and reading it would take longer than asking. */
const MOST_TEXT = 500_000;
/** What is older says nothing any more. */
const OLDEST = 7 * 86_400_000;

type Store = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export type KeptSite = {
  /** The id of the session that read it, what it may see, and when it ends. */
  readonly session: { readonly id: string; readonly level: string; readonly expires_at: string };
  /** Unix ms. */
  readonly at: number;
  readonly site: Site;
  readonly devices: readonly { readonly resource: Device; readonly values: Readonly<Record<string, Snapshot>> }[];
};

/** `build`: other builds of the page may write it in another way. */
export function createKeptSite(store: Store | undefined, build: string) {
  const read = (): (KeptSite & { readonly build: string }) | undefined =>
    attempt(() => JSON.parse(store?.getItem(KEY) ?? "null") as KeptSite & { readonly build: string }) ?? undefined;
  const forget = () => void attempt(() => store?.removeItem(KEY));

  return {
    /** The site as it was, unless another one was looked at, the session has ended, or it was long ago. */
    find(siteId: string, now: number): KeptSite | undefined {
      const kept = read();
      if (kept?.build !== build || kept.site.id !== siteId) return undefined;
      const isOld = now - kept.at > OLDEST || now < kept.at - OLDEST || !(Date.parse(kept.session.expires_at) > now);
      return isOld ? undefined : kept;
    },
    put(kept: KeptSite): void {
      const text = JSON.stringify({ ...kept, build });
      if (text.length > MOST_TEXT) forget();
      else attempt(() => store?.setItem(KEY, text));
    },
    /** What another session saw is no longer shown. */
    keepFor(sessionId: string): void {
      const kept = read();
      if (kept !== undefined && kept.session?.id !== sessionId) forget();
    },
    forget,
  };
}
