import { printable } from "#core/text/printable.ts";
import type { Cli } from "./cli.ts";
import { UsageError } from "./usage-error.ts";

/** Throws unless the person agrees. Without a person at a terminal only `--yes` agrees. */
export async function confirm(cli: Cli, flags: { readonly yes?: boolean }, question: string): Promise<void> {
  if (flags.yes === true) return;
  if (cli.ask === undefined)
    throw new UsageError(`${printable(question)} Nobody is there to ask: add --yes if that is what you want.`);
  const answer = await cli.ask(`${printable(question)} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError("nothing was changed");
}
