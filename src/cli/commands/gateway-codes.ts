import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import {
  addExamples,
  addWindowOptions,
  clientCommand,
  collect,
  requireId,
  type WindowFlags,
} from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findGateway } from "#cli/find-gateway.ts";
import { findSite, findSites } from "#cli/find-site.ts";
import { printAnswer, printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { OpenJoinCode } from "#client/resources.ts";

type CodeFlags = ClientFlags & {
  readonly name?: string;
  readonly expiresIn?: string;
  readonly replaces?: string;
  readonly siteId?: readonly string[];
};

/** In a cloud: the codes with which gateways join, and with which people sign in to a gateway. */
export function addCodeCommands(gateway: Command, cli: Cli): void {
  const code = clientCommand(gateway, "code", "In a cloud: make a code with which one gateway joins.")
    .option("-n, --name <name>", "name of the gateway in the cloud (default the name of its first site)")
    .option("--expires-in <duration>", "how long the code is valid, at most 30d (default 1h)")
    .option("--replaces <gateway>", "a gateway, by id or name, whose sites the new one may take over")
    .option("-s, --site-id <sites>", "sites of other gateways, by id or name, that the new one may take over", collect)
    .action(async (flags: CodeFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const replaces = flags.replaces === undefined ? undefined : await findGateway(session, flags.replaces);
      const siteIds = await findSites(session, flags.siteId);
      const answer = await wait(
        client.gateways.createJoinCode({
          ...(flags.name !== undefined && { name: flags.name }),
          ...(flags.expiresIn !== undefined && { expires_in: flags.expiresIn }),
          ...(replaces !== undefined && { replaces }),
          ...(siteIds !== undefined && { site_ids: siteIds }),
        }),
      );
      await printAnswer(cli, flags, answer, () => answer.code);
      remark(
        cli,
        `The code is shown this once. It works once, until ${answer.expires_at}. On the gateway: busbar gateway join URL CODE`,
      );
      remark(cli, `To withdraw it: busbar gateway withdraw-code ${answer.id}`);
    });
  addExamples(code, "gateway code --name North --expires-in 2h", "gateway code --replaces North");

  addWindowOptions(
    clientCommand(gateway, "codes", "In a cloud: list the codes with which a gateway can still join."),
  ).action(async (flags: ClientFlags & WindowFlags) => {
    const { client, wait } = await openSession(cli, flags);
    const found = await wait(fetchList("join_codes", client.gateways.listJoinCodes, flags));
    await printTable(cli, flags, { ...found, columns: CODE_COLUMNS });
  });

  const withdraw = clientCommand(
    gateway,
    "withdraw-code [code]",
    "In a cloud: withdraw a code, so that no gateway can join with it.",
  )
    .option("--join-code-id <id>", "the code by the id that codes lists, if not given as argument")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: ClientFlags & { joinCodeId?: string; yes?: boolean }) => {
      const id = requireId("join code", argument, flags.joinCodeId);
      await confirm(cli, flags, `Withdraw the code ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.gateways.withdrawJoinCode(id)), () => `withdrew ${id}`);
    });
  addExamples(withdraw, "gateway withdraw-code JOIN_CODE_ID");
  addSignInCode(gateway, cli);
}

/** The code is for the person whose token calls, with the rights of the token. */
function addSignInCode(gateway: Command, cli: Cli): void {
  const about = "In a cloud: make a link that signs you in to the page of the gateway of a site.";
  const command = clientCommand(gateway, "sign-in-code [site]", about)
    .option("-s, --site-id <site>", "the site, by id or name, if not given as argument")
    .action(async (argument: string | undefined, flags: ClientFlags & { siteId?: string }) => {
      const session = await openSession(cli, flags);
      const site = await findSite(session, requireId("site", argument, flags.siteId));
      const answer = await session.wait(session.client.sessions.createGatewayCode(site));
      await printAnswer(cli, flags, answer, () => gatewayLink(answer));
      remark(cli, `The link signs in once, until ${answer.expires_at}, with the rights of your token.`);
      if (answer.url === undefined) remark(cli, "Put the address of the gateway in its own network before it.");
    });
  addExamples(command, "gateway sign-in-code North");
}

/** Without the address where the gateway did not report a usable one. */
function gatewayLink({ code, url }: { readonly code: string; readonly url?: string }): string {
  const path = `/sign-in#code=${encodeURIComponent(code)}`;
  return url !== undefined && URL.canParse(path, url) ? new URL(path, url).href : path;
}

const CODE_COLUMNS = {
  ID: (code: OpenJoinCode) => code.id,
  NAME: (code: OpenJoinCode) => code.name ?? "",
  "TAKES OVER": ({ replaces, site_ids }: OpenJoinCode) =>
    [...(replaces === null ? [] : [`gateway ${replaces}`]), ...site_ids].join(", "),
  BY: (code: OpenJoinCode) => code.made_by.name,
  CREATED: (code: OpenJoinCode) => code.created_at,
  EXPIRES: (code: OpenJoinCode) => code.expires_at,
};
