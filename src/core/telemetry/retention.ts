import { parseDuration } from "#core/time/duration.ts";

/** How long values are kept: a duration such as 30d, or unlimited. Only `parseRetention` creates one. */
export type Retention = string & { readonly __kind: "retention" };

export interface SiteRetention {
  /** For attributes without a rule of their own; undefined leaves it to the installation. */
  readonly fallback: Retention | undefined;
  readonly attributes: ReadonlyMap<string, Retention>;
}

export const UNLIMITED = "unlimited" as Retention;

/** Values are stored by the hour, so nothing shorter can be kept. */
const SHORTEST_NS = 3_600_000_000_000n;

export function parseRetention(text: string): Retention | undefined {
  if (text === UNLIMITED) return UNLIMITED;
  const duration = parseDuration(text);
  return duration === undefined || duration < SHORTEST_NS ? undefined : (text as Retention);
}

/** Infinity when values are never dropped. */
export function retentionMs(retention: Retention): number {
  const duration = retention === UNLIMITED ? undefined : parseDuration(retention);
  return duration === undefined ? Number.POSITIVE_INFINITY : Number(duration / 1_000_000n);
}
