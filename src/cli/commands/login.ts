import { hostname } from "node:os";
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { type Connection, connectionsFile, readConnections, writeConnections } from "#cli/connections.ts";
import { EXIT } from "#cli/exit-code.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printAnswer, printRecord, printTable, remark } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import { createClient } from "#client/create-client.ts";
import { ApiError, outcome } from "#client/errors.ts";
import { signInByBrowser } from "#client/sign-in-by-browser.ts";
import { ACCESS_LEVELS, type AccessLevel } from "#core/access/level.ts";

type LoginFlags = ClientFlags & { readonly name?: string; readonly level?: AccessLevel; readonly askToken?: true };

export function addLoginCommand(login: Command, cli: Cli): void {
  addConnectionOptions(login.argument("[url]", "address of the server; without it the local one"))
    .option("-n, --name <name>", "what to call the connection (default the host)")
    .addOption(new Option("--level <level>", "the highest level to ask for").choices(ACCESS_LEVELS))
    .option("--ask-token", "ask for a token on the terminal instead of opening a browser")
    .action(async (argument: string | undefined, flags: LoginFlags) => {
      // In the browser, unless a file or the environment has a token. A stored one is not used again.
      const asked = { ...flags, ...(argument !== undefined && { url: argument }) };
      const { url, token: given } = await openSession(cli, { ...asked, isNew: true });
      const { token, ...own } =
        given !== undefined
          ? { token: given }
          : flags.askToken === true
            ? { token: await askForToken(cli, url) }
            : await enterByBrowser(cli, url, flags);
      const client = createClient({ url: url.href, token, door: "cli" });
      const { token: caller } = await client.tokens.current();
      const name = flags.name ?? url.host;
      const { byName } = readConnections(cli);
      writeConnections(cli, { current: name, byName: new Map([...byName, [name, { url: url.href, token, ...own }]]) });
      remark(cli, `signed in to ${url.href} as "${caller.name}" (level ${caller.level}); the connection is "${name}"`);
      remark(cli, `the token is kept in ${connectionsFile(cli)}, which only you can read`);
    });
  addExamples(
    login,
    "login https://busbar.example.org --name plant",
    "login https://busbar.example.org --level user",
    "login --token-file token.txt",
  );
}

/** A token of the person, for this connection alone. */
async function enterByBrowser(cli: Cli, url: URL, { level }: LoginFlags) {
  const end = new AbortController();
  const release = cli.onInterrupt?.(() => end.abort());
  try {
    const found = await signInByBrowser({
      url: url.href,
      door: "cli",
      program: `busbar on ${hostname().slice(0, 60) || "a computer"}`,
      level,
      signal: end.signal,
      onCode({ code, page, expiresAt }) {
        remark(cli, `open ${page} in a browser where you are signed in, and type this code:`);
        for (const line of ["", `    ${code}`, ""]) remark(cli, line);
        remark(cli, `it is good until ${expiresAt}; show it to nobody, and type no code that somebody else gave you`);
      },
    });
    if (found.state === "approved") return { token: found.token, ownTokenId: found.id };
    remark(cli, REFUSALS[found.state]);
    throw new QuietFailure(found.state === "aborted" ? EXIT.interrupted : EXIT.notAllowed);
  } finally {
    release?.();
  }
}

const REFUSALS = {
  denied: "the sign-in was refused in the page",
  expired: "nobody let this program in in time; run busbar login again",
  aborted: "interrupted; you are not signed in",
};

async function askForToken(cli: Cli, url: URL): Promise<string> {
  const token = (await cli.askSecret?.(`token for ${url.href}: `))?.trim();
  if (token !== undefined && token !== "") return token;
  throw new UsageError("a token is needed: give --token-file FILE, or set BUSBAR_TOKEN");
}

export function addLogoutCommand(logout: Command, cli: Cli): void {
  logout
    .argument("[name]", "the connection; without it the current one")
    .option("--all", "forget all connections")
    .action(async (argument: string | undefined, { all }: { readonly all?: true }) => {
      const { current, byName } = readConnections(cli);
      const name = argument ?? current;
      if (all !== true && name === undefined) throw new UsageError("you are not signed in anywhere");
      if (all !== true && !byName.has(name ?? "")) throw new UsageError(`there is no connection "${name}"`);
      const rest = new Map([...byName].filter(([one]) => all !== true && one !== name));
      const gone = [...byName].filter(([one]) => !rest.has(one));
      writeConnections(cli, { current: current === name ? undefined : current, byName: rest });
      remark(cli, all === true ? "forgot all connections" : `forgot the connection "${name}"`);
      for (const [one, connection] of gone) remark(cli, await endOwnToken(one, connection));
    });
  addExamples(logout, "logout", "logout plant", "logout --all");
}

/** A token that was made for the connection alone ends with it. The connection is forgotten first, whether or not its server answers. */
async function endOwnToken(name: string, { url, token, ownTokenId }: Connection): Promise<string> {
  if (ownTokenId === undefined) return `the token of ${name} itself stays valid; busbar token revoke ends it`;
  const client = createClient({ url, token, door: "cli", timeout: END_MS });
  const ended = await outcome(client.accounts.revokeOwnToken(ownTokenId));
  if (ended.ok || (ended.error instanceof ApiError && ended.error.status === 401))
    return `the token of ${name} has ended`;
  return `the token of ${name} could not be ended (${ended.error.message}); end it in the page, under your account`;
}

const END_MS = 10_000;

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
