// What goes out now for a site: the advice about each alert, put together into as few messages as possible.
import type { Instant } from "#core/time/instant.ts";
import {
  type Advice,
  advise,
  type Notice,
  type NoticeKind,
  type Watch,
  type WatchContext,
  type Watched,
  withNotified,
} from "./watch.ts";

interface PlannedWatch<Key> {
  readonly key: Key;
  readonly watch: Watch;
  readonly watched: Watched;
}

export interface PlannedMessage<Key> {
  readonly channelId: string;
  readonly kind: NoticeKind;
  /** How often the first of them was told before. */
  readonly count: number;
  readonly keys: readonly Key[];
}

export interface SitePlan<Key> {
  readonly watches: readonly {
    readonly key: Key;
    /** Undefined: it is over for everybody. */
    readonly watch: Watch | undefined;
    readonly nextAt: Instant | undefined;
  }[];
  readonly messages: readonly PlannedMessage<Key>[];
}

/** Alerts of one message. More of them make more messages. */
const MOST_ITEMS = 100;

/** The order of the watches is that of the messages, and of what is in them. */
export function planMessages<Key>(watches: readonly PlannedWatch<Key>[], context: WatchContext): SitePlan<Key> {
  const { now } = context;
  const advised = watches.map((one) => ({ ...one, advice: advise(one.watch, one.watched, context) }));
  const ready = new Set(
    advised.flatMap(({ advice }) => advice.notices.filter(({ dueAt }) => dueAt <= now).map(batchOf)),
  );
  const batches = new Map<string, { channelId: string; kind: NoticeKind; count: number; keys: Key[] }>();
  const planned = advised.map(({ key, watched, advice }) => {
    // What waits only so that others can join goes along with them.
    const goes = advice.notices.filter((notice) => ready.has(batchOf(notice)) && notice.dueAt <= now + notice.groupMs);
    for (const notice of goes) {
      const { channelId, kind } = notice;
      const known = batches.get(batchOf(notice));
      if (known !== undefined) known.keys.push(key);
      else batches.set(batchOf(notice), { channelId, kind, count: countOf(advice, notice), keys: [key] });
    }
    return { key, ...after(advice, goes, { watched, context }) };
  });
  const messages = [...batches.values()].flatMap(({ keys, ...message }) => {
    const pages = Array.from({ length: Math.ceil(keys.length / MOST_ITEMS) }, (_, page) => page * MOST_ITEMS);
    return pages.map((from) => ({ ...message, keys: keys.slice(from, from + MOST_ITEMS) }));
  });
  return { watches: planned, messages };
}

const batchOf = ({ channelId, kind }: Notice): string => `${kind} ${channelId}`;

const countOf = ({ watch }: Advice, { channelId, kind }: Notice): number =>
  kind === "reminder" ? (watch?.notified.get(channelId)?.count ?? 0) + 1 : 0;

function after(
  advice: Advice,
  goes: readonly Notice[],
  { watched, context }: { readonly watched: Watched; readonly context: WatchContext },
): Pick<Advice, "watch" | "nextAt"> {
  if (advice.watch === undefined || goes.length === 0) return advice;
  return advise(withNotified(advice.watch, goes, context.now), watched, context);
}
