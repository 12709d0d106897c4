import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Channel } from "#core/notification/channel.ts";
import type { Instant } from "#core/time/instant.ts";

/** Channels of sites. They go with their site. */
export interface ChannelStore {
  /** Refuses with `conflict` when the site has too many, or one of this name, and with `not_found` when the site is gone. */
  insert(channel: Channel, trail: AuditEntry): Promise<void>;
  /**
   * Replaces what it says. False, with nothing stored: the site has no such channel, or it is not as it was at `before`. Refuses a
   * name that another one has. Without a trail, nobody has asked for it.
   */
  update(channel: Channel, trail: AuditEntry | undefined, before?: Instant): Promise<boolean>;
  delete(named: { readonly siteId: string; readonly id: string }, trail: AuditEntry): Promise<boolean>;
  /** All of a site: few. By name. */
  ofSite(siteId: string): Promise<readonly Channel[]>;
  find(siteId: string, id: string): Promise<Channel | undefined>;
}
