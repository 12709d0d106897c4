// Notification channels: how the people of a site are reached.
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, type WindowFlags } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findChannel } from "#cli/find-notification.ts";
import { readSource } from "#cli/input/assignment.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type SiteFlags, siteCommand, siteOf } from "#cli/rule/site-command.ts";
import { openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { NewNotificationChannel, NotificationChannel } from "#client/resources.ts";
import { ALERT_SEVERITIES } from "#core/alert/alert-state.ts";
import { MAIL_SECURITIES, MESSAGE_LANGUAGES } from "#core/notification/channel.ts";

export function addChannelCommands(channel: Command, cli: Cli): void {
  addWindowOptions(siteCommand(channel, "list", "List the notification channels of a site, by name.")).action(
    async (flags: SiteFlags & WindowFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const list = (window: Window) => session.client.notifications.channels(site, window);
      await printTable(cli, flags, { ...(await session.wait(fetchList("channels", list, flags))), columns: COLUMNS });
    },
  );
  addCreateCommand(channel, cli);
  addDeleteCommand(channel, cli);
  addTestCommand(channel, cli);
  addExamples(
    channel,
    "channel create anna --mail anna@example.com --server smtp.example.com --from site@example.com --user site --secret-file password.txt",
    "channel create phone --ntfy my-long-topic",
    "channel test phone",
  );
}

interface CreateFlags extends SiteFlags {
  readonly mail?: string;
  readonly ntfy?: string;
  readonly telegram?: string;
  readonly webhook?: string;
  readonly server?: string;
  readonly security?: (typeof MAIL_SECURITIES)[number];
  readonly from?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly language?: (typeof MESSAGE_LANGUAGES)[number];
  readonly quiet?: string;
  readonly quietExcept?: (typeof ALERT_SEVERITIES)[number];
  readonly allowPrivate?: true;
}

function addCreateCommand(channel: Command, cli: Cli): void {
  siteCommand(channel, "create <name>", "Make a channel. The secret of a webhook is printed this once.")
    .option("--mail <address>", "mails to this address, with --server and --from")
    .option("--ntfy <topic>", "messages to this topic of ntfy")
    .option("--telegram <chat>", "messages to this chat of Telegram, by the bot whose token is in --secret-file")
    .option("--webhook <url>", "signed POST requests to this address")
    .option(
      "--server <server>",
      "the mail server, as name or name:port; or the address of a server of ntfy or Telegram",
    )
    .addOption(new Option("--security <kind>", "of the mail server (default starttls)").choices(MAIL_SECURITIES))
    .option("--from <address>", "the sender of mails")
    .option("--user <name>", "the user name at the mail server")
    .option("--secret-file <file>", "file with the password or token; - is standard input")
    .addOption(new Option("--language <language>", "of the messages (default en)").choices(MESSAGE_LANGUAGES))
    .option("--quiet <calendar>", "while this calendar of the site is on, messages wait")
    .addOption(new Option("--quiet-except <severity>", "except from this severity on").choices(ALERT_SEVERITIES))
    .option("--allow-private", "let it reach this machine and private networks (level system)")
    .action(async (name: string, flags: CreateFlags) => {
      const body = bodyOf(name, flags, flags.secretFile && (await readSource(cli, flags.secretFile)));
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const answer = await session.wait(session.client.notifications.createChannel(site, body));
      await printAnswer(cli, flags, answer, () => answer.secret ?? answer.channel.id);
      if (answer.secret === null) return;
      remark(cli, `This is the secret that messages are signed with, shown this once; the id is ${answer.channel.id}.`);
    });
}

function addDeleteCommand(channel: Command, cli: Cli): void {
  siteCommand(channel, "delete <channel>", "Delete a channel, by name or id.")
    .option("-y, --yes", "do not ask")
    .action(async (idOrName: string, flags: SiteFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Delete the channel ${idOrName}?`);
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const id = await findChannel(session, site, idOrName);
      const answer = await session.wait(session.client.notifications.deleteChannel(site, id));
      await printAnswer(cli, flags, answer, () => `deleted ${idOrName}`);
    });
}

function addTestCommand(channel: Command, cli: Cli): void {
  siteCommand(channel, "test <channel>", "Send a test message, and print the outcome.").action(
    async (idOrName: string, flags: SiteFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const id = await findChannel(session, site, idOrName);
      const answer = await session.wait(session.client.notifications.testChannel(site, id));
      const words = { taken: "taken", refused: "not taken", unknown: "it may have arrived" };
      await printAnswer(cli, flags, answer, () => words[answer.outcome] + (answer.error ? `: ${answer.error}` : ""));
      if (answer.outcome !== "taken") throw new QuietFailure(EXIT.failure);
    },
  );
}

function bodyOf(name: string, flags: CreateFlags, secret: string | undefined): NewNotificationChannel {
  const { language, quiet, quietExcept: except, allowPrivate } = flags;
  return {
    name,
    ...targetOf(flags, secret),
    ...(language && { language }),
    ...(quiet && { quiet: { calendar: quiet, ...(except && { except }) } }),
    ...(allowPrivate && { allow_private: true }),
  };
}

function targetOf(flags: CreateFlags, secret: string | undefined): Partial<NewNotificationChannel> {
  const { mail, ntfy, telegram, webhook, server } = flags;
  const [kind, ...others] = [mail, ntfy, telegram, webhook].filter((one) => one !== undefined);
  if (kind === undefined || others.length > 0)
    throw new UsageError("give one of --mail, --ntfy, --telegram, --webhook");
  const token = secret === undefined ? {} : { token: secret };
  const at = server === undefined ? {} : { server };
  if (ntfy !== undefined) return { ntfy: { topic: ntfy, ...at, ...token } };
  if (telegram !== undefined) return { telegram: { chat: telegram, ...at, ...token } };
  if (webhook !== undefined) return { webhook: { url: webhook } };
  return { mail: mailOf({ ...flags, mail: kind }, secret) };
}

function mailOf(
  { mail: to, server, from, user, security }: CreateFlags & { readonly mail: string },
  password: string | undefined,
): NonNullable<NewNotificationChannel["mail"]> {
  if (server === undefined || from === undefined) throw new UsageError("--mail takes --server and --from, too");
  const [, host = server, port] = /^(.*[^:]):(\d{1,5})$/.exec(server) ?? [];
  return {
    ...{ host, from, to, ...(port && { port: Number(port) }), ...(security && { security }) },
    ...(user && { username: user, ...(password && { password }) }),
  };
}

const COLUMNS: Columns<NotificationChannel> = {
  NAME: ({ name }) => name,
  KIND: ({ kind }) => kind,
  TO: ({ mail, ntfy, telegram, webhook, push }) =>
    mail?.to ?? ntfy?.topic ?? telegram?.chat ?? webhook?.url ?? (push && `${push.devices.length} devices`),
  QUIET: ({ quiet }) => quiet?.calendar,
  ID: ({ id }) => id,
};
