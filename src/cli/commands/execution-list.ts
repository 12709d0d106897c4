import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, clientCommand, collect, type WindowFlags } from "#cli/client-command.ts";
import { renderPayload } from "#cli/execution/render-payload.ts";
import { findSite } from "#cli/find-site.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printTable, remarkRest } from "#cli/print.ts";
import { renderValue } from "#cli/render-value.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { cutText } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Execution, Queries } from "#client/resources.ts";
import { EXECUTION_STATES, type ExecutionState } from "#core/command/execution.ts";
import { nearestOf } from "#core/text/nearest.ts";

type ExecutionFilter = Queries["listCommandExecutions"];
type SiteExecutionFilter = Queries["listSiteCommandExecutions"];

type ListFlags = ClientFlags &
  WindowFlags & {
    readonly siteId?: string;
    readonly name?: readonly string[];
    readonly state?: readonly string[];
    readonly since?: string;
    readonly until?: string;
    readonly retention?: ExecutionFilter["retention"];
    readonly order: ExecutionFilter["order"];
    readonly deviceId?: readonly string[];
    readonly profile?: readonly string[];
    readonly childType?: readonly string[];
    readonly parentId?: readonly string[];
  };

const OF_SITE = "Of a site:";

export function addExecutionListCommand(parent: Command, cli: Cli): void {
  const list = addWindowOptions(
    clientCommand(parent, "list [device]", "List executions of a device or of a whole site, newest first."),
  )
    .option("--site, --site-id <site>", "all devices of this site, by id or name, instead of one device")
    .option("--name <names>", "only these commands", collect)
    .option("--state <states>", `only these states: ${EXECUTION_STATES.join(", ")}`, collect)
    .option("--from, --since <time>", `not created before this time: ${TIME_WORDS}`)
    .option("--to, --until <time>", "created before this time")
    .addOption(
      new Option("--retention <kind>", "which ones; default PERSISTENT").choices(["PERSISTENT", "EPHEMERAL", "ALL"]),
    )
    .addOption(
      new Option("--order <order>", "order of creation")
        .choices(["CREATED_AT_ASC", "CREATED_AT_DESC"])
        .default("CREATED_AT_DESC"),
    )
    .addOption(siteOption("--device, --device-id <devices>", "only these devices, by id or slug"))
    .addOption(siteOption("--profile <profiles>", "only devices that implement all of these"))
    .addOption(siteOption("--child-type <types>", "only children of these types"))
    .addOption(siteOption("--parent, --parent-id <devices>", "only children of these devices, by id or slug"))
    .action(async (device: string | undefined, flags: ListFlags) => {
      const session = await openSession(cli, flags);
      const { client, wait } = session;
      const filter = filterOf(flags);
      const ofSite = siteFilterOf(flags);
      if (device !== undefined && flags.siteId !== undefined) throw new UsageError("give a device or --site, not both");
      if (flags.siteId === undefined && Object.values(ofSite).some((value) => value !== undefined))
        throw new UsageError("--device, --profile, --child-type and --parent choose among the devices of a --site");
      if (device === undefined && flags.siteId === undefined)
        throw new UsageError("which device? give its id or slug, or a site with --site");
      const answer = await wait(
        flags.siteId === undefined
          ? client.commands.list(device ?? "", filter)
          : client.commands.listBySite(await findSite(session, flags.siteId), { ...filter, ...ofSite }),
      );
      const columns = flags.siteId === undefined ? COLUMNS : { DEVICE: (one: Execution) => one.device_id, ...COLUMNS };
      await printTable(cli, flags, { answer, rows: answer.executions, columns });
      remarkRest(cli, flags, { shown: answer.executions.length, total: answer.total_count });
    });
  addExamples(
    list,
    "execution list battery-1",
    "execution list battery-1 --state ERROR,TIMEOUT --since -1d",
    'execution list --site "Plant 1" --profile energy.battery --name stop -o json',
  );
}

function siteOption(flags: string, about: string): Option {
  return new Option(flags, about).argParser(collect).helpGroup(OF_SITE);
}

function filterOf(flags: ListFlags): ExecutionFilter {
  const now = Date.now();
  return {
    limit: flags.limit,
    offset: flags.offset,
    retention: flags.retention,
    order: flags.order,
    "created_at.gte": parseMoment("--since", flags.since, now),
    "created_at.lt": parseMoment("--until", flags.until, now),
    "name.in": flags.name,
    "state.in": flags.state?.map(parseState),
  };
}

function siteFilterOf(flags: ListFlags): SiteExecutionFilter {
  return {
    "device_id.in": flags.deviceId,
    "device.profiles.has_all": flags.profile,
    "device.child_type.in": flags.childType,
    "device.parent_id.in": flags.parentId,
  };
}

function parseState(text: string): ExecutionState {
  const found = EXECUTION_STATES.find((state) => state.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const close = nearestOf(text, EXECUTION_STATES);
  throw new UsageError(
    `"${text}" is not a state${close === undefined ? "" : `; did you mean ${close}?`} They are ${EXECUTION_STATES.join(", ")}`,
  );
}

const COLUMNS = {
  CREATED: (one: Execution) => one.created_at,
  ID: (one: Execution) => one.id,
  COMMAND: (one: Execution) => one.request.name,
  STATE: (one: Execution) => one.state,
  ARGUMENTS: (one: Execution) =>
    cutText(
      Object.entries(one.request.arguments)
        .map(([name, value]) => `${name}=${renderValue(value)}`)
        .join(" "),
    ),
  ANSWER: (one: Execution) => cutText(renderPayload(one.response?.payload)),
};
