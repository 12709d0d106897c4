import { type Command, Option } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import { addExamples, clientCommand, collect, requireId } from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { findSites } from "#cli/find-site.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { AccessLevel, Token } from "#client/resources.ts";

/** `system` is not here: only the admin token has it. */
const LEVELS: readonly AccessLevel[] = ["readonly", "user", "owner", "installer", "vendor"];

type CreateFlags = ClientFlags & {
  readonly name?: string;
  readonly level: AccessLevel;
  readonly siteId?: readonly string[];
  readonly expiresIn?: string;
};

export function addTokenCommands(token: Command, cli: Cli): void {
  addExamples(token, "token create grafana --level readonly", "token list", "token revoke TOKEN_ID");

  const create = clientCommand(token, "create [name]", "Create a token. It is printed this once.")
    .option("-n, --name <name>", "what the token is for, if not given as argument")
    .addOption(
      new Option("--level <level>", "what it may do; each level includes those before")
        .choices(LEVELS)
        .makeOptionMandatory(),
    )
    .option("-s, --site-id <site>", "only for this site, by id or name; may be repeated", collect)
    .option("--expires-in <duration>", "lifetime such as 12h or 90d; without it the token does not expire")
    .action(async (argument: string | undefined, flags: CreateFlags) => {
      const { level, siteId, expiresIn } = flags;
      const name = requireId("name", argument, flags.name);
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const sites = await findSites(session, siteId);
      const scope = {
        ...(sites === undefined ? {} : { site_ids: sites }),
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      };
      const answer = await wait(client.tokens.create({ name, level, ...scope }));
      await printAnswer(cli, flags, answer, () => answer.token);
      remark(cli, `This is the token's text, shown this once; its id is ${answer.id}.`);
    });
  addExamples(
    create,
    "token create grafana --level readonly --expires-in 90d",
    "export BUSBAR_TOKEN=$(busbar token create ci --level user --site-id SITE_ID)",
  );

  addListCommand(token, cli, {
    about: "List tokens.",
    key: "tokens",
    fetchPage: (client, window) => client.tokens.list(window),
    columns: COLUMNS,
  });

  clientCommand(token, "revoke [token]", "Revoke a token. It stops working at once.")
    .option("--token-id <id>", "the token, if not given as argument")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: ClientFlags & { tokenId?: string; yes?: boolean }) => {
      const id = requireId("token", argument, flags.tokenId);
      await confirm(cli, flags, `Revoke the token ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.tokens.revoke(id)), () => `revoked ${id}`);
    });
}

const COLUMNS = {
  ID: (token: Token) => token.id,
  NAME: (token: Token) => token.name,
  LEVEL: (token: Token) => token.level,
  SITES: (token: Token) => token.site_ids?.join(",") ?? "all",
  CREATED: (token: Token) => token.created_at,
  EXPIRES: (token: Token) => token.expires_at ?? "never",
  "LAST USED": (token: Token) => token.last_used_at ?? "never",
  PERSON: (token: Token) => token.account_id ?? "none",
  REVOKED: (token: Token) => token.revoked_at,
};
