import { type Access, levelAt, type SiteScope } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import type { EventFacts, EventKind } from "#core/event/event.ts";

/** Which events a listener gets: those that it may know of, and of them those that it asked for. */
export interface EventFilter extends Omit<Access, "sites"> {
  readonly scope: SiteScope;
  /** Undefined means all. */
  readonly kinds: ReadonlySet<string> | undefined;
  readonly siteIds: ReadonlySet<string> | undefined;
  readonly deviceIds: ReadonlySet<string> | undefined;
}

export function selects(filter: EventFilter, event: EventFacts): boolean {
  return (
    selectsKind(filter, event.kind) &&
    selectsPlace(filter, event.siteId, event.deviceId) &&
    allows(levelAt(filter, event.siteId), event.readLevel)
  );
}

export function selectsKind({ kinds }: EventFilter, kind: EventKind): boolean {
  return kinds?.has(kind) ?? true;
}

export function selectsPlace({ scope, siteIds, deviceIds }: EventFilter, siteId: string, deviceId: string): boolean {
  return (scope === "all" || scope.has(siteId)) && (siteIds?.has(siteId) ?? true) && (deviceIds?.has(deviceId) ?? true);
}
