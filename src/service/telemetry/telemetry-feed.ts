// Live telemetry for watchers. Unlike events it is not kept: a watcher only wants the newest value.
import type { Instant } from "#core/time/instant.ts";
import type { Snapshot, TelemetryPoints } from "#service/ports/telemetry-store.ts";
import type { Attribute } from "#service/telemetry/attributes.ts";

export interface TelemetryNews {
  readonly siteId: string;
  readonly deviceId: string;
  readonly at: Instant;
  /** Lists as JSON text. */
  readonly values: ReadonlyMap<Attribute, number | boolean | string>;
}

type Watcher = (news: TelemetryNews) => void;

export interface TelemetryFeed {
  /** False while nobody watches: then nothing needs to be prepared. */
  readonly isWatched: boolean;
  publish(news: TelemetryNews): void;
  /** Returns the function that ends the watch. A watcher must not throw. */
  watch(watcher: Watcher): () => void;
}

/** The new values of a message. A late value is not new, because a newer one is known already. */
export function newestValues(
  { at, values }: Pick<TelemetryPoints, "at" | "values">,
  attributes: ReadonlyMap<string, Attribute>,
  latest: ReadonlyMap<string, Snapshot>,
): TelemetryNews["values"] {
  const news = new Map<Attribute, number | boolean | string>();
  for (const [id, value] of values) {
    const attribute = attributes.get(id);
    if (attribute !== undefined && (latest.get(id)?.at ?? at) <= at) news.set(attribute, value);
  }
  return news;
}

export function createTelemetryFeed(): TelemetryFeed {
  const watchers = new Set<Watcher>();
  return {
    get isWatched() {
      return watchers.size > 0;
    },
    publish(news) {
      for (const watcher of watchers) watcher(news);
    },
    watch(watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
}
