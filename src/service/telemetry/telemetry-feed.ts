// Telemetry as it comes, for those who watch. Unlike events it is not kept: the newest value is all a watcher wants.
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
  /** False while nobody watches: then nothing needs to be made ready. */
  readonly isWatched: boolean;
  publish(news: TelemetryNews): void;
  /** Gives the function that ends it. A watcher must not throw. */
  watch(watcher: Watcher): () => void;
}

/** What of a message is news: a value that came late is none, because a newer one is known already. */
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
