import type { Command } from "commander";
import { clientCommand } from "#cli/client-command.ts";
import { findSite } from "#cli/find-site.ts";
import type { ClientFlags, Session } from "#cli/session.ts";

export type SiteFlags = ClientFlags & { readonly siteId?: string };

export const siteCommand = (parent: Command, usage: string, about: string): Command =>
  clientCommand(parent, usage, about).option("-s, --site-id <site>", "name or id of the site (default: the only one)");

/** The site that is named, or the only one. */
export async function siteOf(session: Session, { siteId }: Pick<SiteFlags, "siteId">): Promise<string> {
  if (siteId !== undefined) return await findSite(session, siteId);
  return (await session.wait(session.client.perform("getOnlySite"))).site.id;
}
