// The people of an installation.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, collect } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { findAccount } from "#cli/find-account.ts";
import { findSiteLevels, findSites } from "#cli/find-site.ts";
import { printAnswer } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { AccessLevel, Account, AccountChange } from "#client/resources.ts";

/** `system` is not here: only the admin token has it. */
const LEVELS: readonly AccessLevel[] = ["readonly", "user", "owner", "installer", "vendor"];

type Flags = ClientFlags & {
  readonly name?: string;
  readonly mail?: string;
  readonly level?: AccessLevel;
  readonly siteId?: readonly string[];
  readonly siteLevel?: readonly string[];
  readonly allSites?: true;
  readonly passwordFile?: string;
  readonly askPassword?: true;
};

export function addAccountCommands(account: Command, cli: Cli): void {
  addExamples(
    account,
    "account create Anna anna@example.org --level user --ask-password",
    "account change anna@example.org --level owner --site-id SITE_ID",
    "account change Anna --level readonly --site-level North=owner",
    "account suspend Anna",
  );
  addListCommand(account, cli, {
    about: "List people.",
    key: "accounts",
    fetchPage: (client, window) => client.accounts.list(window),
    columns: COLUMNS,
  });
  addAccess(
    clientCommand(account, "create <name> <mail>", "Add a person, who then signs in to the page."),
    true,
  ).action(async (name: string, mail: string, flags: Flags & { readonly level: AccessLevel }) => {
    const session = await openSession(cli, flags);
    const [sites, password] = [await findSites(session, flags.siteId), await readPassword(cli, flags)];
    const levels = await findSiteLevels(session, flags.siteLevel ?? [], LEVELS);
    const body = {
      ...{ name, mail, level: flags.level, ...(sites && { site_ids: sites }), ...(password && { password }) },
      ...(levels.length > 0 && { site_levels: levels }),
    };
    const answer = await session.wait(session.client.accounts.create(body));
    await printAnswer(cli, flags, answer, () => `added ${answer.account.name} (${answer.account.id})`);
  });
  addAccess(
    clientCommand(account, "change <account>", "Change a person, who is given by name, mail address or id."),
    false,
  )
    .option("-n, --name <name>", "another name")
    .option("--mail <address>", "another mail address")
    .option("--all-sites", "all sites instead of some")
    .action(async (person: string, flags: Flags) => {
      const session = await openSession(cli, flags);
      const id = await findAccount(session, person);
      const [sites, password] = [await findSites(session, flags.siteId), await readPassword(cli, flags)];
      const { name, mail, level, allSites, siteLevel } = flags;
      const levels = siteLevel && (await findSiteLevels(session, siteLevel, LEVELS));
      const body: AccountChange = {
        ...(name && { name }),
        ...(mail && { mail }),
        ...(level && { level }),
        ...(allSites ? { site_ids: null } : sites && { site_ids: sites }),
        ...(levels && { site_levels: levels }),
        ...(password && { password }),
      };
      const answer = await session.wait(session.client.accounts.update(id, body));
      await printAnswer(cli, flags, answer, () => `changed ${answer.account.name}`);
    });
  for (const [verb, about, suspended] of [
    ["suspend", "Suspend a person: sessions end, and the person's tokens are revoked.", true],
    ["resume", "Let a suspended person sign in again.", false],
  ] as const) {
    clientCommand(account, `${verb} <account>`, about).action(async (person: string, flags: ClientFlags) => {
      const session = await openSession(cli, flags);
      const id = await findAccount(session, person);
      const answer = await session.wait(session.client.accounts.update(id, { suspended }));
      await printAnswer(
        cli,
        flags,
        answer,
        () => `${answer.account.name} ${suspended ? "is suspended" : "can sign in"}`,
      );
    });
  }
  clientCommand(
    account,
    "invite <account>",
    "Print a link by which the person chooses a password, once and within 7 days.",
  ).action(async (person: string, flags: ClientFlags) => {
    const session = await openSession(cli, flags);
    const answer = await session.wait(session.client.accounts.invite(await findAccount(session, person)));
    await printAnswer(cli, flags, answer, () => new URL(`/sign-in#invitation=${answer.code}`, session.url).href);
  });
  clientCommand(
    account,
    "reset-second-factor <account>",
    "Let a person whose app and recovery codes are gone sign in with the password alone.",
  )
    .option("-y, --yes", "do not ask")
    .action(async (person: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Reset the second factor of ${person}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.accounts.resetSecondFactor(await findAccount(session, person)));
      await printAnswer(cli, flags, answer, () => `reset the second factor of ${person}`);
    });
  clientCommand(
    account,
    "unlink <account>",
    "End the link of a person to a provider: the person signs in with the own password again.",
  )
    .option("-y, --yes", "do not ask")
    .action(async (person: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `End the link of ${person} to the provider?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.accounts.unlink(await findAccount(session, person)));
      await printAnswer(cli, flags, answer, () => `${person} is no longer linked to a provider`);
    });
  clientCommand(account, "delete <account>", "Delete a person: sessions end, and the person's tokens are revoked.")
    .option("-y, --yes", "do not ask")
    .action(async (person: string, flags: ClientFlags & { yes?: boolean }) => {
      await confirm(cli, flags, `Delete the account ${person}?`);
      const session = await openSession(cli, flags);
      const answer = await session.wait(session.client.accounts.delete(await findAccount(session, person)));
      await printAnswer(cli, flags, answer, () => `deleted ${person}`);
    });
}

function addAccess(command: Command, isNew: boolean): Command {
  const level = new Option("--level <level>", "what the person may do; each level includes those before");
  return command
    .addOption(level.choices(LEVELS).makeOptionMandatory(isNew))
    .option("-s, --site-id <site>", "only this site, by id or name; may be repeated", collect)
    .option("--site-level <site=level>", "a higher level at this one of the sites; may be repeated", collect)
    .option("--password-file <file>", "file with the person's password")
    .option("--ask-password", "ask for the person's password");
}

/** Undefined where none is given: it stays as it is, and a new person has none yet. */
async function readPassword(cli: Cli, { passwordFile, askPassword }: Flags): Promise<string | undefined> {
  if (passwordFile !== undefined) {
    const password = readFileSync(resolve(cli.cwd, passwordFile), "utf8").replace(/\r?\n$/, "");
    if (password === "") throw new UsageError(`${passwordFile} is empty`);
    return password;
  }
  if (askPassword !== true) return undefined;
  if (cli.askSecret === undefined) throw new UsageError("nobody is there to ask: give --password-file FILE");
  const password = await cli.askSecret("password: ");
  if ((await cli.askSecret("the same again: ")) !== password) throw new UsageError("the two passwords differ");
  return password;
}

const COLUMNS = {
  ID: (account: Account) => account.id,
  NAME: (account: Account) => account.name,
  MAIL: (account: Account) => account.mail,
  LEVEL: (account: Account) => account.level,
  SITES: (account: Account) => account.site_ids?.join(",") ?? "all",
  "MORE AT": (account: Account) => account.site_levels.map(({ site_id, level }) => `${site_id}=${level}`).join(","),
  PASSWORD: (account: Account) => (account.has_password ? "yes" : "none yet"),
  "SECOND FACTOR": (account: Account) => (account.has_second_factor ? "yes" : "no"),
  "LAST USED": (account: Account) => account.last_used_at ?? "never",
  SUSPENDED: (account: Account) => account.suspended_at,
};
