import type { Notification } from "#client/resources.ts";
import { attempt } from "#web/data/attempt.ts";
import { client } from "#web/data/client.ts";
import { live } from "#web/data/live.svelte.ts";

/** More are not counted. */
const MOST_COUNTED = 50;

const keyOf = (site: string) => `busbar.read.${site}`;

/** Newer than the newest that was seen in this browser. */
const countNewer = (list: readonly Pick<Notification, "at">[], seen: string): number =>
  list.filter(({ at }) => at > seen).length;

let seenNow = $state(0);

/** What rules have told that nobody has looked at in this browser. Call it while a component is made. */
export function unread(site: () => string) {
  let list = $state.raw<readonly Notification[]>([]);

  async function read(of: string) {
    // Who cannot read them has nothing to read.
    const found = await client.notifications.list(of, { limit: MOST_COUNTED }).catch(() => undefined);
    if (found !== undefined && of === site()) list = found.notifications;
  }

  $effect(() => {
    const of = site();
    void read(of);
    const stops = [
      live.onCatchUp(() => void read(of)),
      live.on(["notification"], ({ site_id }) => site_id === of && void read(of)),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  });

  return {
    get count(): number {
      void seenNow;
      return countNewer(list, attempt(() => localStorage.getItem(keyOf(site()))) ?? "");
    },
  };
}

/** Somebody has seen them up to this one. */
export function markSeen(site: string, newest: Pick<Notification, "at"> | undefined): void {
  if (newest === undefined) return;
  const before = attempt(() => localStorage.getItem(keyOf(site))) ?? "";
  if (newest.at <= before) return;
  attempt(() => localStorage.setItem(keyOf(site), newest.at));
  seenNow += 1;
}
