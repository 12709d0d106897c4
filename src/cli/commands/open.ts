import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { addOutputOption } from "#cli/output-format.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";

/** The link holds a code, never the token. Browsers do not send what follows the #. */
export function addOpenCommand(open: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(open)).action(async (flags: ClientFlags) => {
    const { client, url, wait } = await openSession(cli, flags);
    const { code, expires_at } = await wait(client.sessions.createCode());
    const link = new URL(`/sign-in#code=${code}`, url).href;
    await printAnswer(cli, flags, { url: link, expires_at }, () => link);
    remark(cli, "The link signs in once, within 10 minutes, with the rights of your token.");
  });
  addExamples(open, "open", "open --url https://busbar.example.org");
}
