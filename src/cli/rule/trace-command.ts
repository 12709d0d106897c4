// What a rule did and why.
import { type Command, InvalidArgumentError } from "commander";
import type { Cli } from "#cli/cli.ts";
import { isForPeople } from "#cli/output-format.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { openSession, type Session } from "#cli/session.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { RuleTrace } from "#client/resources.ts";
import { renderTrace } from "./render-trace.ts";
import { type SiteFlags, siteCommand, siteOf } from "./site-command.ts";

type TraceFlags = SiteFlags & { readonly last: number; readonly id?: string; readonly follow?: true };

/** What a rule can have done between two looks. */
const MOST_NEW = 20;

export function addTracing(rule: Command, cli: Cli): void {
  siteCommand(rule, "trace <rule>", "Show what a rule did and why, newest last.")
    .option("--last <count>", "how many of the newest", countOf, 1)
    .option("--id <id>", "this one")
    .option("-f, --follow", "then print each new one as it comes")
    .action(async (name: string, flags: TraceFlags) => {
      if (flags.id !== undefined && flags.follow) throw new UsageError("give --id or --follow, not both");
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      if (flags.id !== undefined) {
        const answer = await session.wait(session.client.rules.trace(site, name, flags.id));
        await printAnswer(cli, flags, answer, () => renderTrace(answer.trace));
      } else if (flags.follow) await follow(cli, session, { site, name, flags });
      else {
        const answer = await session.wait(session.client.rules.traces(site, name, { limit: flags.last }));
        const traces = answer.traces.toReversed();
        await printAnswer(cli, flags, answer, () =>
          traces.length === 0 ? "it has done nothing yet" : traces.map(renderTrace).join("\n\n"),
        );
      }
    });
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 100) return count;
  throw new InvalidArgumentError("it is a whole number from 1 to 100");
}

interface Followed {
  readonly site: string;
  readonly name: string;
  readonly flags: TraceFlags;
}

/** A trace is printed again when it has gone on. */
async function follow(cli: Cli, session: Session, { site, name, flags }: Followed): Promise<void> {
  const { client, wait } = session;
  const { id } = (await wait(client.rules.get(site, name))).rule;
  const print = await createPrinter(cli, flags);
  const shown = new Map<string, string>();
  const show = async (limit: number) => {
    const { traces } = await client.rules.traces(site, id, { limit });
    for (const trace of traces.toReversed()) if (isNew(shown, trace)) print(trace, () => renderTrace(trace));
  };
  for await (const event of client.events({ "kind.in": ["rule"], "site_id.in": [site] })) {
    if (event.kind === "open") {
      if (isForPeople(flags.output)) remark(cli, "listening; Ctrl-C ends it");
      await show(shown.size === 0 ? flags.last : MOST_NEW);
    } else if (event.kind === "lost") remark(cli, "the connection is lost; trying again");
    else if (event.kind === "gap" || (event.kind === "rule" && event.rule_id === id)) await show(MOST_NEW);
  }
}

function isNew(shown: Map<string, string>, trace: RuleTrace): boolean {
  const text = JSON.stringify(trace);
  if (shown.get(trace.id) === text) return false;
  shown.set(trace.id, text);
  const [oldest] = shown.keys();
  if (shown.size > 1_000 && oldest !== undefined) shown.delete(oldest);
  return true;
}
