// Which events a client asks for.
import type { Access } from "#core/access/caller.ts";
import type { EventFilter } from "#core/event/event-filter.ts";

export interface Chosen {
  readonly "kind.in": readonly string[] | undefined;
  readonly "site_id.in": readonly string[] | undefined;
  readonly "device_id.in": readonly string[] | undefined;
}

/** Checked for every event and stream, so long lists become sets. */
export function parseChoice({ sites, level, siteLevels }: Access, chosen: Chosen): EventFilter {
  return {
    scope: sites,
    level,
    ...(siteLevels && { siteLevels }),
    kinds: setOf(chosen["kind.in"]),
    siteIds: setOf(chosen["site_id.in"]),
    deviceIds: setOf(chosen["device_id.in"]),
  };
}

function setOf(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return names === undefined ? undefined : new Set(names);
}
