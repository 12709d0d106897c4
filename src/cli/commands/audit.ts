import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, collect, type WindowFlags } from "#cli/client-command.ts";
import { createDeviceNames } from "#cli/device-names.ts";
import { findSites } from "#cli/find-site.ts";
import { isForPeople } from "#cli/output-format.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printTable, remarkRest } from "#cli/print.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { cutText } from "#cli/table.ts";
import { listAll } from "#client/list-all.ts";
import type { AuditEntry, Queries } from "#client/resources.ts";

type AuditFlags = ClientFlags &
  WindowFlags & {
    readonly from?: string;
    readonly to?: string;
    readonly action?: readonly string[];
    readonly siteId?: readonly string[];
    readonly deviceId?: readonly string[];
    readonly outcome?: readonly string[];
    readonly actor?: readonly string[];
    /** The server says which there are. */
    readonly door?: Queries["listAudit"]["door.in"];
    readonly order: "AT_ASC" | "AT_DESC";
  };

export function addAuditCommands(audit: Command, cli: Cli): void {
  const list = addWindowOptions(clientCommand(audit, "list", "List who did or tried what, newest first."))
    .option("--from <time>", `not before this time: ${TIME_WORDS}`)
    .option("--to <time>", "before this time")
    .option("--action <names>", "only these actions", collect)
    .option("-s, --site-id <sites>", "only on these sites, by id or name", collect)
    .option("-d, --device-id <devices>", "only about these devices, by id or slug", collect)
    .option("--outcome <outcomes>", "only OK or only REFUSED", collect)
    .option("--actor <ids>", "only what these people or tokens did, by id", collect)
    .option("--door <doors>", "only calls through these doors, such as page or cli", collect)
    .addOption(new Option("--order <order>", "order of time").choices(["AT_ASC", "AT_DESC"]).default("AT_DESC"))
    .action(async (flags: AuditFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const { from, to, action, siteId, deviceId, outcome, actor, door, order, limit, offset } = flags;
      const now = Date.now();
      const filter = {
        "at.gte": parseMoment("--from", from, now),
        "at.lt": parseMoment("--to", to, now),
        "action.in": action,
        "site_id.in": await findSites(session, siteId),
        "device_id.in": deviceId,
        "actor.in": actor,
        "door.in": door,
        "outcome.in": outcome,
        order,
      };
      const answer = await wait(client.audit.list({ ...filter, limit, offset }));
      const columns = await columnsOf(session, answer.entries, isForPeople(flags.output));
      await printTable(cli, flags, { answer, rows: answer.entries, columns });
      remarkRest(cli, flags, { shown: answer.entries.length, total: answer.total_count });
    });
  addExamples(
    list,
    "audit list --outcome REFUSED",
    "audit list --device-id battery-1",
    "audit list --from -30d --limit 1000 -o json",
  );
}

/** People read names, programs ids. */
async function columnsOf({ client, wait }: Session, entries: readonly AuditEntry[], isNamed: boolean) {
  const nameOf = createDeviceNames(client);
  const names = new Map<string, string>();
  if (isNamed) {
    const devices = new Set(entries.flatMap(({ target }) => target["device_id"] ?? []));
    const sites = await wait(Array.fromAsync(listAll("sites", client.sites.list)));
    for (const { id, name } of sites) names.set(id, name);
    await wait(Promise.all([...devices].map(async (id) => names.set(id, await nameOf(id)))));
  }
  return {
    TIME: (entry: AuditEntry) => entry.at,
    WHO: ({ actor, reported_by }: AuditEntry) =>
      (reported_by ?? null) === null ? actor?.name : `${actor?.name ?? "-"} (reported by gateway ${reported_by})`,
    DOOR: (entry: AuditEntry) => entry.door ?? "",
    ACTION: (entry: AuditEntry) => entry.action,
    OUTCOME: (entry: AuditEntry) => (entry.code ? `${entry.outcome} ${entry.code}` : entry.outcome),
    TARGET: ({ target }: AuditEntry) => pairs(isNamed ? named(target, names) : target),
    DETAILS: ({ details }: AuditEntry) => cutText(pairs(details)),
    COUNT: (entry: AuditEntry) => (entry.count > 1 ? `${entry.count}, last ${entry.last_at}` : entry.count),
    FROM: (entry: AuditEntry) => entry.remote_address,
  };
}

/** The same with `device=battery-1` for `device_id=01a1...`, where there is a name. */
function named(target: AuditEntry["target"], names: ReadonlyMap<string, string>): AuditEntry["target"] {
  return Object.fromEntries(
    Object.entries(target).map(([kind, id]) => {
      const name = names.get(id);
      return name === undefined ? [kind, id] : [kind.replace(/_id$/, ""), name];
    }),
  );
}

function pairs(fields: Readonly<Record<string, unknown>>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${renderValue(value)}`)
    .join(" ");
}
