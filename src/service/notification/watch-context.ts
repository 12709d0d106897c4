// What the advice about alerts of a site depends on, besides the alerts.
import type { WatchContext } from "#core/notification/watch.ts";
import type { Instant } from "#core/time/instant.ts";
import type { BlueprintCatalog } from "#service/blueprint/blueprint-catalog.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import type { Needs } from "#service/ports.ts";

export interface WatchContextNeeds extends Pick<Needs, "routes" | "channels" | "messages"> {
  readonly catalog: Pick<BlueprintCatalog, "withProfiles">;
  readonly siteCalendars: Pick<SiteCalendars, "book">;
}

const NONE: ReadonlySet<string> = new Set();

export async function watchContext(
  needs: WatchContextNeeds,
  siteId: string,
  now: Instant,
): Promise<{ readonly context: WatchContext; readonly longestGroupMs: number }> {
  const routes = await needs.routes.ofSite(siteId);
  const channels = new Map((await needs.channels.ofSite(siteId)).map((channel) => [channel.id, channel]));
  const book = await needs.siteCalendars.book(siteId);
  const implementing = new Map<string, ReadonlySet<string>>();
  for (const profile of new Set(routes.flatMap(({ profiles }) => profiles)))
    implementing.set(profile, new Set(await needs.catalog.withProfiles([profile])));
  const context: WatchContext = {
    ...{ now, routes, channels, behind: await needs.messages.behind(siteId) },
    calendar: (name) => book.stateAt(name, now),
    implementing: (profile) => implementing.get(profile) ?? NONE,
  };
  return { context, longestGroupMs: Math.max(0, ...routes.map(({ groupMs }) => groupMs)) };
}
