// Messages of rules to the people of a site.
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, addWindowOptions, type WindowFlags } from "#cli/client-command.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printTable } from "#cli/print.ts";
import { type SiteFlags, siteOf } from "#cli/rule/site-command.ts";
import { openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import type { Window } from "#client/page.ts";
import type { Notification } from "#client/resources.ts";

export function addNotificationsCommand(notifications: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(addWindowOptions(notifications)))
    .addOption(new Option("-s, --site-id <site>", "name or id of the site (default: the only one)"))
    .action(async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.notifications.list(site, window);
      const found = await session.wait(fetchList("notifications", list, flags));
      await printTable(cli, flags, { ...found, columns: COLUMNS });
    });
  addExamples(notifications, "notifications", "notifications --limit 20");
}

const COLUMNS: Columns<Notification> = {
  AT: ({ at }) => at,
  SEVERITY: ({ severity }) => severity,
  FROM: ({ source }) => source.slug,
  TEXT: ({ title, text }) => (title === null ? text : `${title}: ${text}`),
};
