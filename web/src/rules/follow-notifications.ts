import type { Notification } from "#client/resources.ts";
import { live } from "#web/data/live.svelte.ts";
import { toasts } from "#web/parts/toasts.svelte.ts";
import { href } from "#web/router/paths.ts";
import { t } from "./notification-messages.ts";

/** A rule may send many; a page that is covered by notes helps nobody. */
const MOST_AT_ONCE = 2;
const GATHER_MS = 1_000;
const LONGEST = 120;
/** The same words are not said again so soon. */
const SAME_MS = 60_000;
const MOST_REMEMBERED = 50;

const TONES = { info: "info", warning: "warning", error: "error" } as const;

/** Shows what rules report while the page is open. It is said politely and takes no focus. Returns how to stop. */
export function followNotifications(): () => void {
  let waiting: Notification[] = [];
  const said = new Map<string, number>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const showAll = () => {
    timer = undefined;
    const notes = waiting;
    waiting = [];
    for (const { severity, title, text, site_id } of notes.slice(-MOST_AT_ONCE)) {
      const words = title === null ? text : `${title}: ${text}`;
      if (Date.now() - (said.get(words) ?? Number.NEGATIVE_INFINITY) < SAME_MS) continue;
      if (said.size >= MOST_REMEMBERED) said.clear();
      said.set(words, Date.now());
      const short = words.length > LONGEST ? `${words.slice(0, LONGEST)}…` : words;
      toasts.add(TONES[severity], short, { href: href("notifications", { site: site_id }), text: t.showNotifications });
    }
  };
  const stop = live.on(["notification"], (note) => {
    waiting.push(note);
    timer ??= setTimeout(showAll, GATHER_MS);
  });
  return () => {
    clearTimeout(timer);
    stop();
  };
}
