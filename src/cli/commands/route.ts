// Notification routes: who is notified of what, and what became of the messages.
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, collect, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { channelNames, findChannel, findRoute } from "#cli/find-notification.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type SiteFlags, siteCommand, siteOf } from "#cli/rule/site-command.ts";
import { openSession } from "#cli/session.ts";
import { type Columns, cutText } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type {
  NewNotificationRoute,
  NotificationMessage,
  NotificationRoute,
  NotificationTell,
} from "#client/resources.ts";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";

type Severity = (typeof ALERT_SEVERITIES)[number];

export function addRouteCommands(route: Command, cli: Cli): void {
  addWindowOptions(siteCommand(route, "list", "List the notification routes of a site, by name.")).action(
    async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.notifications.routes(site, window);
      const routes = await session.wait(fetchList("routes", list, flags));
      await printTable(cli, flags, { ...routes, columns: columnsFor(await channelNames(session, site)) });
    },
  );
  addCreateCommand(route, cli);
  siteCommand(route, "delete <route>", "Delete a route, by name or id.")
    .option("-y, --yes", "do not ask")
    .action(async (idOrName: string, flags: SiteFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Delete the route ${idOrName}?`);
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const id = await findRoute(session, site, idOrName);
      const answer = await session.wait(session.client.notifications.deleteRoute(site, id));
      await printAnswer(cli, flags, answer, () => `deleted ${idOrName}`);
    });
  addPreviewCommand(route, cli);
  addMessageCommands(route, cli);
  addExamples(
    route,
    "route create errors --severity error --channel anna --then 15m=ben --remind 1h",
    "route preview --severity error --device battery-1",
    "route messages",
  );
}

interface CreateFlags extends SiteFlags {
  readonly channel: readonly string[];
  readonly then?: readonly string[];
  readonly severity?: Severity;
  readonly profile?: readonly string[];
  readonly hours?: string;
  readonly group?: string;
  readonly remind?: string;
  readonly rules?: boolean;
  readonly over?: boolean;
}

function addCreateCommand(route: Command, cli: Cli): void {
  siteCommand(route, "create <name>", "Make a route.")
    .requiredOption("--channel <channels>", "who is notified first, by name or id", collect)
    .option("--then <steps>", "who is notified after a time, while nobody has acknowledged it: 15m=CHANNEL", collect)
    .addOption(new Option("--severity <severity>", "from this severity on (default info)").choices(ALERT_SEVERITIES))
    .option("--profile <profiles>", "only of devices that implement one of these", collect)
    .option("--hours <calendar>", "only while this calendar of the site is on")
    .option("--group <time>", "alerts within this time are sent together (default 30s)")
    .option("--remind <time>", "remind after this time, until acknowledged")
    .option("--no-rules", "do not send messages of rules")
    .option("--no-over", "do not notify when an alert is over")
    .action(async (name: string, flags: CreateFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const find = (idOrName: string) => findChannel(session, site, idOrName);
      const answer = await session.wait(
        session.client.notifications.createRoute(site, await bodyOf(name, flags, find)),
      );
      await printAnswer(cli, flags, answer, () => answer.route.id);
    });
}

async function bodyOf(
  name: string,
  flags: CreateFlags,
  find: (idOrName: string) => Promise<string>,
): Promise<NewNotificationRoute> {
  const { channel, then = [], severity, profile, hours, group, remind, rules, over } = flags;
  const steps: NewNotificationRoute["steps"][number][] = [{ channels: await Promise.all(channel.map(find)) }];
  for (const text of then) {
    const [, after, idOrName] = /^([^=]+)=(.+)$/.exec(text) ?? [];
    if (after === undefined || idOrName === undefined) {
      throw new UsageError(`"${text}" is not a step; write 15m=CHANNEL`);
    }
    steps.push({ after, channels: [await find(idOrName)] });
  }
  return {
    name,
    steps,
    ...(severity && { severity }),
    ...(profile && { profiles: [...profile] }),
    ...(hours && { hours }),
    ...(group && { group }),
    ...(remind && { remind }),
    ...(rules === false && { rules }),
    ...(over === false && { over }),
  };
}

function addPreviewCommand(route: Command, cli: Cli): void {
  siteCommand(route, "preview", "Show who would be notified of an alert that is raised now, and when.")
    .addOption(new Option("--severity <severity>", "of the alert").choices(ALERT_SEVERITIES).default("error"))
    .option("--device <device>", "whose alert it would be, by id or slug (default: a message of a rule)")
    .action(async (flags: SiteFlags & { severity: Severity; device?: string }) => {
      const session = await openSession(cli, flags);
      const body = { severity: flags.severity, ...(flags.device && { device_id: flags.device }) };
      const answer = await session.wait(session.client.notifications.preview(await siteOf(session, flags), body));
      await printTable(cli, flags, { answer, rows: answer.tells, columns: PREVIEW });
    });
}

function addMessageCommands(route: Command, cli: Cli): void {
  addWindowOptions(siteCommand(route, "messages", "List what was sent or waits, newest first.")).action(
    async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.notifications.messages(site, window);
      await printTable(cli, flags, { ...(await session.wait(fetchList("messages", list, flags))), columns: MESSAGES });
    },
  );
  siteCommand(route, "retry <message>", "Send a message again that failed, or whose outcome is unknown.").action(
    async (id: string, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.notifications.retryMessage(await siteOf(session, flags), id));
      await printAnswer(cli, flags, answer, () => "it is sent again");
    },
  );
}

function columnsFor(names: ReadonlyMap<string, string>): Columns<NotificationRoute> {
  return {
    NAME: ({ name }) => name,
    SEVERITY: ({ severity }) => severity,
    HOURS: ({ hours }) => hours,
    STEPS: ({ steps }) =>
      steps
        .map(({ after, channels }) => `${after}: ${channels.map((id) => names.get(id) ?? id).join(" and ")}`)
        .join(", "),
    REMIND: ({ remind }) => remind,
    ENABLED: ({ enabled }) => (enabled ? "yes" : "no"),
    ID: ({ id }) => id,
  };
}

const PREVIEW: Columns<NotificationTell> = {
  AT: ({ at }) => at,
  CHANNEL: ({ channel }) => channel,
  ROUTE: ({ route }) => route,
};

const MESSAGES: Columns<NotificationMessage> = {
  QUEUED: ({ queued_at }) => queued_at,
  KIND: ({ kind }) => kind,
  STATE: ({ state }) => state,
  ATTEMPTS: ({ attempts }) => attempts,
  ABOUT: ({ items }) => cutText(items.map(({ name }) => name).join(", ")),
  ERROR: ({ error }) => error && cutText(error),
  ID: ({ id }) => id,
};
