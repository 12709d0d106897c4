import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, collect, type WindowFlags } from "#cli/client-command.ts";
import { findSites } from "#cli/find-site.ts";
import { printTable, remarkRest } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import type { AuditEntry } from "#client/resources.ts";

type AuditFlags = ClientFlags &
  WindowFlags & {
    readonly from?: string;
    readonly to?: string;
    readonly action?: readonly string[];
    readonly siteId?: readonly string[];
    readonly outcome?: readonly string[];
    readonly order: "AT_ASC" | "AT_DESC";
  };

export function addAuditCommands(audit: Command, cli: Cli): void {
  const list = addWindowOptions(clientCommand(audit, "list", "List who did or tried what, newest first."))
    .option("--from <time>", "not before this time (RFC 3339)")
    .option("--to <time>", "before this time (RFC 3339)")
    .option("--action <names>", "only these actions", collect)
    .option("-s, --site-id <sites>", "only on these sites, by id or name", collect)
    .option("--outcome <outcomes>", "only OK or only REFUSED", collect)
    .addOption(new Option("--order <order>", "order of time").choices(["AT_ASC", "AT_DESC"]).default("AT_DESC"))
    .action(async (flags: AuditFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const { from, to, action, siteId, outcome, order, limit, offset } = flags;
      const filter = {
        "at.gte": from,
        "at.lt": to,
        "action.in": action,
        "site_id.in": await findSites(session, siteId),
        "outcome.in": outcome,
        order,
      };
      const answer = await wait(client.audit.list({ ...filter, limit, offset }));
      await printTable(cli, flags, { answer, rows: answer.entries, columns: COLUMNS });
      remarkRest(cli, flags, { shown: answer.entries.length, total: answer.total_count });
    });
  addExamples(list, "audit list --outcome REFUSED", "audit list --from 2026-01-01T00:00:00Z --limit 1000 -o json");
}

const COLUMNS = {
  TIME: (entry: AuditEntry) => entry.at,
  WHO: (entry: AuditEntry) => entry.actor?.name,
  ACTION: (entry: AuditEntry) => entry.action,
  OUTCOME: (entry: AuditEntry) => (entry.code ? `${entry.outcome} ${entry.code}` : entry.outcome),
  TARGET: (entry: AuditEntry) =>
    Object.entries(entry.target)
      .map(([kind, id]) => `${kind}=${id}`)
      .join(" "),
  COUNT: (entry: AuditEntry) => (entry.count > 1 ? `${entry.count}, last ${entry.last_at}` : entry.count),
  FROM: (entry: AuditEntry) => entry.remote_address,
};
