// What goes out now for a site: the advice about each alert, put together into as few messages as possible.
import type { Instant } from "#core/time/instant.ts";
import {
  type Advice,
  advise,
  type Tell,
  type TellKind,
  type Watch,
  type WatchContext,
  type Watched,
  withTold,
} from "./watch.ts";

interface PlannedWatch<Key> {
  readonly key: Key;
  readonly watch: Watch;
  readonly watched: Watched;
}

export interface PlannedMessage<Key> {
  readonly channelId: string;
  readonly kind: TellKind;
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
  const ready = new Set(advised.flatMap(({ advice }) => advice.tells.filter(({ dueAt }) => dueAt <= now).map(batchOf)));
  const batches = new Map<string, { channelId: string; kind: TellKind; count: number; keys: Key[] }>();
  const planned = advised.map(({ key, watched, advice }) => {
    // What waits only so that others can join goes along with them.
    const goes = advice.tells.filter((tell) => ready.has(batchOf(tell)) && tell.dueAt <= now + tell.groupMs);
    for (const tell of goes) {
      const { channelId, kind } = tell;
      const known = batches.get(batchOf(tell));
      if (known !== undefined) known.keys.push(key);
      else batches.set(batchOf(tell), { channelId, kind, count: countOf(advice, tell), keys: [key] });
    }
    return { key, ...after(advice, goes, { watched, context }) };
  });
  const messages = [...batches.values()].flatMap(({ keys, ...message }) => {
    const pages = Array.from({ length: Math.ceil(keys.length / MOST_ITEMS) }, (_, page) => page * MOST_ITEMS);
    return pages.map((from) => ({ ...message, keys: keys.slice(from, from + MOST_ITEMS) }));
  });
  return { watches: planned, messages };
}

const batchOf = ({ channelId, kind }: Tell): string => `${kind} ${channelId}`;

const countOf = ({ watch }: Advice, { channelId, kind }: Tell): number =>
  kind === "reminder" ? (watch?.told.get(channelId)?.count ?? 0) + 1 : 0;

function after(
  advice: Advice,
  goes: readonly Tell[],
  { watched, context }: { readonly watched: Watched; readonly context: WatchContext },
): Pick<Advice, "watch" | "nextAt"> {
  if (advice.watch === undefined || goes.length === 0) return advice;
  return advise(withTold(advice.watch, goes, context.now), watched, context);
}
