import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { connectionsFile, readConnections, writeConnections } from "#cli/connections.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printAnswer, printRecord, printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import { createClient } from "#client/create-client.ts";

type LoginFlags = ClientFlags & { readonly name?: string };

export function addLoginCommand(login: Command, cli: Cli): void {
  addConnectionOptions(login.argument("[url]", "address of the server; without it the local one"))
    .option("-n, --name <name>", "what to call the connection (default the host)")
    .action(async (argument: string | undefined, flags: LoginFlags) => {
      // The token is asked for, unless a file or the environment has it. A stored one is not used again.
      const asked = { ...flags, ...(argument !== undefined && { url: argument }) };
      const { url, token: given } = await openSession(cli, { ...asked, isNew: true });
      const token = given ?? (await askForToken(cli, url));
      const client = createClient({ url: url.href, token, door: "cli" });
      const { token: caller } = await client.tokens.current();
      const name = flags.name ?? url.host;
      const { byName } = readConnections(cli);
      writeConnections(cli, { current: name, byName: new Map([...byName, [name, { url: url.href, token }]]) });
      remark(cli, `signed in to ${url.href} as "${caller.name}" (level ${caller.level}); the connection is "${name}"`);
      remark(cli, `the token is kept in ${connectionsFile(cli)}, which only you can read`);
    });
  addExamples(login, "login https://busbar.example.org --name plant", "login --token-file token.txt");
}

async function askForToken(cli: Cli, url: URL): Promise<string> {
  const token = (await cli.askSecret?.(`token for ${url.href}: `))?.trim();
  if (token !== undefined && token !== "") return token;
  throw new UsageError("a token is needed: give --token-file FILE, or set BUSBAR_TOKEN");
}

export function addLogoutCommand(logout: Command, cli: Cli): void {
  logout
    .argument("[name]", "the connection; without it the current one")
    .option("--all", "forget all connections")
    .action((argument: string | undefined, { all }: { readonly all?: true }) => {
      const { current, byName } = readConnections(cli);
      const name = argument ?? current;
      if (all !== true && name === undefined) throw new UsageError("you are not signed in anywhere");
      if (all !== true && !byName.has(name ?? "")) throw new UsageError(`there is no connection "${name}"`);
      const rest = new Map([...byName].filter(([one]) => all !== true && one !== name));
      writeConnections(cli, { current: current === name ? undefined : current, byName: rest });
      remark(cli, all === true ? "forgot all connections" : `forgot the connection "${name}"`);
      remark(cli, "the token itself stays valid; busbar token revoke ends it");
    });
  addExamples(logout, "logout", "logout plant", "logout --all");
}

export function addWhoamiCommand(whoami: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(whoami)).action(async (flags: ClientFlags) => {
    const { client, url, wait, connection } = await openSession(cli, flags);
    const { token } = await wait(client.tokens.current());
    const answer = { url: url.href, connection: connection ?? null, token };
    await printRecord(cli, flags, {
      answer,
      fields: {
        server: url.href,
        connection: connection ?? "none; the address and the token come from flags, the environment or the data folder",
        token: token.name,
        level: token.level,
        sites: token.site_ids === null ? "all" : token.site_ids.join(", "),
      },
    });
  });
  addExamples(whoami, "whoami", "whoami --connection plant");
}

export function addConnectionCommands(connection: Command, cli: Cli): void {
  addOutputOption(connection.command("list").description("List the servers that you are signed in to.")).action(
    async (flags: ClientFlags) => {
      const { current, byName } = readConnections(cli);
      const rows = [...byName].map(([name, { url }]) => ({ name, url, is_current: name === current }));
      await printTable(cli, flags, { answer: { connections: rows }, rows, columns: COLUMNS });
    },
  );
  connection
    .command("use <name>")
    .description("Use this server when no other is named.")
    .action(async (name: string) => {
      const { byName } = readConnections(cli);
      if (!byName.has(name))
        throw new UsageError(`there is no connection "${name}"; busbar connection list shows them`);
      writeConnections(cli, { current: name, byName });
      await printAnswer(cli, {}, {}, () => `commands go to "${name}" from now on`);
    });
  addExamples(connection, "connection list", "connection use plant");
}

type Listed = { readonly name: string; readonly url: string; readonly is_current: boolean };

const COLUMNS = {
  NAME: (one: Listed) => one.name,
  URL: (one: Listed) => one.url,
  CURRENT: (one: Listed) => (one.is_current ? "yes" : ""),
};
