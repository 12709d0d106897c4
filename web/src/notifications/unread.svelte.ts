import type { Notification, NotificationsRead } from "#client/resources.ts";
import { client } from "#web/data/client.ts";
import { live } from "#web/data/live.svelte.ts";

/** Of the site that was asked for last. The server keeps it for each person, so that it is the same on all their devices. */
let known = $state.raw<{ readonly site: string } & NotificationsRead>();

async function take(site: string, answer: Promise<NotificationsRead>): Promise<void> {
  // Who cannot read them has nothing to read, and a mark that was not stored is stored with the next look.
  const found = await answer.catch(() => undefined);
  if (found !== undefined) known = { site, ...found };
}

/** Messages of rules that this person has not looked at. Call it while a component is made. */
export function unread(site: () => string) {
  $effect(() => {
    const of = site();
    const read = () => void take(of, client.notifications.read(of));
    // Another device of the person may have shown them meanwhile.
    const onShown = () => document.visibilityState === "visible" && read();
    read();
    document.addEventListener("visibilitychange", onShown);
    const stops = [live.onCatchUp(read), live.on(["notification"], ({ site_id }) => site_id === of && read())];
    return () => {
      document.removeEventListener("visibilitychange", onShown);
      for (const stop of stops) stop();
    };
  });

  return {
    get count(): number {
      return known?.site === site() ? known.unread : 0;
    },
  };
}

/** This person has seen them up to this one. */
export function markSeen(site: string, newest: Pick<Notification, "at"> | undefined): void {
  if (newest === undefined) return;
  const isKnown = known?.site === site && known.read_until !== null && known.read_until >= newest.at;
  if (!isKnown) void take(site, client.notifications.markRead(site, newest.at));
}
