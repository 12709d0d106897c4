import { styleText } from "node:util";
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples, addWindowOptions, collect, type WindowFlags } from "#cli/client-command.ts";
import { createDeviceNames } from "#cli/device-names.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { findSite } from "#cli/find-site.ts";
import { addOutputOption, isForPeople } from "#cli/output-format.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printTable, remark, remarkRest } from "#cli/print.ts";
import { createPrinter } from "#cli/print-stream.ts";
import { renderAlertDetails } from "#cli/render-alert-details.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { suggestDevice } from "#cli/suggest-device.ts";
import { cutText } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { listAll } from "#client/list-all.ts";
import type { LiveEvent } from "#client/live-event.ts";
import type { Page, Window } from "#client/page.ts";
import type { Alert, Queries } from "#client/resources.ts";
import { printable } from "#core/text/printable.ts";

type AlertFlags = ClientFlags &
  WindowFlags & {
    readonly siteId?: string;
    readonly history?: true;
    readonly watch?: true;
    readonly severity?: readonly string[];
    readonly state?: readonly string[];
    readonly since?: string;
    readonly until?: string;
  };

const SEVERITIES = ["info", "warning", "error"] as const;
const STATES = ["SOFT", "HARD", "UNCONFIRMED"] as const;
/** What was is endless: its newest are shown. */
const HISTORY = 100;

export function addAlertsCommand(alerts: Command, cli: Cli): void {
  addConnectionOptions(
    addOutputOption(addWindowOptions(alerts.argument("[device]", "only of this device, by id or slug")))
      .option("--site, --site-id <site>", "only of this site, by id or name")
      .option("--history", `alerts that have ended, the newest ${HISTORY} unless --limit is given`)
      .option("-w, --watch", "then print changes as they happen")
      .option("--severity <severities>", `only these: ${SEVERITIES.join(", ")}`, collect)
      .option(
        "--state <states>",
        "only these: SOFT (in their grace period), HARD, UNCONFIRMED (no longer repeated)",
        collect,
      )
      .option("--from, --since <time>", `not raised before this time: ${TIME_WORDS}`)
      .option("--to, --until <time>", "raised before this time"),
  ).action(async (device: string | undefined, flags: AlertFlags) => {
    if (device !== undefined && flags.siteId !== undefined) throw new UsageError("give a device or --site, not both");
    const session = await openSession(cli, flags);
    const source = await sourceOf(session, device, flags.siteId);
    const filter = filterOf(flags);
    if (flags.watch) await watch(cli, session, { source, flags, filter });
    else await list(cli, session, { source, flags, filter });
  });
  addExamples(
    alerts,
    "alerts",
    "alerts battery-1 --history --since -7d",
    'alerts --site "Plant 1" --severity error --state HARD',
    "alerts --watch",
  );
}

/** Where alerts are requested: one list, or one per site. */
type AlertFilter = Queries["listSiteAlerts"];
type Source = {
  readonly lists: readonly ((filter: AlertFilter) => Promise<Page<"alerts", Alert>>)[];
  readonly events: { readonly "device_id.in"?: readonly string[]; readonly "site_id.in"?: readonly string[] };
};
type Asked = { readonly source: Source; readonly flags: AlertFlags; readonly filter: AlertFilter };

async function sourceOf(session: Session, device: string | undefined, site: string | undefined): Promise<Source> {
  const { client, wait } = session;
  if (device !== undefined) {
    const { id } = (await wait(suggestDevice(client, device, client.devices.get(device)))).device;
    return { lists: [(filter) => client.alerts.list(id, filter)], events: { "device_id.in": [id] } };
  }
  const ofSite = (id: string) => (filter: AlertFilter) => client.alerts.listBySite(id, filter);
  if (site !== undefined) {
    const id = await findSite(session, site);
    return { lists: [ofSite(id)], events: { "site_id.in": [id] } };
  }
  const sites = await wait(Array.fromAsync(listAll("sites", client.sites.list)));
  return { lists: sites.map(({ id }) => ofSite(id)), events: {} };
}

function filterOf(flags: AlertFlags): AlertFilter {
  const now = Date.now();
  return {
    active: flags.history !== true,
    "severity.in": flags.severity?.map((text) => oneOf("severity", SEVERITIES, text)),
    "state.in": flags.state?.map((text) => oneOf("state", STATES, text)),
    "raised_at.gte": parseMoment("--since", flags.since, now),
    "raised_at.lt": parseMoment("--until", flags.until, now),
  };
}

function oneOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`"${text}" is not a ${what} of an alert; they are ${words.join(", ")}`);
}

/** All lists as one, newest first. */
async function read({ wait }: Session, { source, flags, filter }: Asked) {
  const isPaged = flags.limit !== undefined || flags.offset !== undefined || flags.history === true;
  const limit = flags.limit ?? (flags.history ? HISTORY : undefined);
  // With several lists a page of all is cut out of as many from each.
  const isOne = source.lists.length === 1;
  const window: Window = isOne
    ? { limit, offset: flags.offset }
    : { limit: limit === undefined ? undefined : limit + (flags.offset ?? 0) };
  const pages = await wait(
    Promise.all(
      source.lists.map((fetch) => fetchList("alerts", (one) => fetch({ ...filter, ...one }), isPaged ? window : {})),
    ),
  );
  const rows = pages.flatMap((page) => page.rows).toSorted((a, b) => (a.raised_at < b.raised_at ? 1 : -1));
  const total = pages.reduce((sum, { answer }) => sum + Number(answer.total_count), 0);
  const offset = flags.offset ?? 0;
  return { rows: isOne ? rows : rows.slice(offset, limit === undefined ? undefined : offset + limit), total };
}

async function list(cli: Cli, session: Session, asked: Asked): Promise<void> {
  const { flags } = asked;
  const { rows, total } = await read(session, asked);
  const nameOf = createDeviceNames(session.client);
  const isTable = isForPeople(flags.output);
  const names = new Map(
    await Promise.all(
      rows.map(async ({ device_id: id }) => [id, isTable ? await nameOf(id) : id] as readonly [string, string]),
    ),
  );
  if (isTable && rows.length === 0) {
    remark(cli, flags.history ? "no alert has ended" : "no alert is active");
    return;
  }
  const columns = {
    RAISED: (alert: Alert) => alert.raised_at,
    DEVICE: (alert: Alert) => names.get(alert.device_id),
    SEVERITY: (alert: Alert) => alert.severity,
    STATE: (alert: Alert) => alert.state,
    ALERT: (alert: Alert) => alert.display_name,
    ID: (alert: Alert) => alert.id,
    ...(flags.history && { CLEARED: (alert: Alert) => alert.cleared_at }),
    ...(rows.some((alert) => alert.not_confirmed_since !== undefined) && {
      "NOT CONFIRMED SINCE": (alert: Alert) => alert.not_confirmed_since,
    }),
    ...(rows.some((alert) => alert.acknowledgement !== undefined) && {
      "TAKEN BY": (alert: Alert) => alert.acknowledgement?.by.name,
    }),
    ...(rows.some((alert) => alert.silenced_until !== undefined) && {
      "SILENCED UNTIL": (alert: Alert) => alert.silenced_until,
    }),
    ...(rows.some((alert) => alert.details !== undefined) && {
      DETAILS: (alert: Alert) => cutText(renderAlertDetails(alert) ?? ""),
    }),
  };
  await printTable(cli, flags, { answer: { alerts: rows, total_count: total }, rows, columns });
  remarkRest(cli, flags, { shown: rows.length, total });
}

type AlertEvent = Extract<LiveEvent, { readonly kind: "alert" }>;

async function watch(cli: Cli, session: Session, asked: Asked): Promise<void> {
  const { flags, filter, source } = asked;
  if (flags.history || flags.until !== undefined)
    throw new UsageError("--watch shows what is active and what changes: leave --history and --until out");
  const nameOf = createDeviceNames(session.client);
  const print = await createPrinter(cli, flags);
  const show = async (event: Pick<AlertEvent, "change" | "at" | "alert">) => {
    const name = await nameOf(event.alert.device_id);
    print(event, (colour) => renderChange(event, name, colour));
  };
  const isWanted = ({ alert }: AlertEvent) =>
    (filter["severity.in"]?.includes(alert.severity) ?? true) && (filter["state.in"]?.includes(alert.state) ?? true);
  const ended = new AbortController();
  const stopListening = cli.onInterrupt?.(() => ended.abort());
  const query = { "kind.in": ["alert"] as const, ...source.events };
  try {
    // Connected first and read then, so that nothing falls between the two.
    for await (const event of session.client.events(query, { signal: ended.signal })) {
      if (event.kind === "open" || event.kind === "gap") {
        for (const alert of (await read(session, asked)).rows.toReversed())
          await show({ change: "raised", at: alert.raised_at, alert });
        remark(cli, "listening; Ctrl-C ends it");
      } else if (event.kind === "lost") remark(cli, "the connection is lost; trying again");
      else if (event.kind === "alert" && isWanted(event)) await show(event);
    }
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    stopListening?.();
  }
}

const COLOURS = { info: "blue", warning: "yellow", error: "red" } as const;

function renderChange(
  { change, at, alert }: Pick<AlertEvent, "change" | "at" | "alert">,
  name: string,
  colour: boolean,
): string {
  const word = `${change} ${alert.severity}`.padEnd("unconfirmed warning".length);
  const details = alert.details === undefined ? "" : `: ${renderAlertDetails(alert)}`;
  const shown = colour ? styleText(COLOURS[alert.severity], word, { validateStream: false }) : word;
  return `${at}  ${shown}  ${alert.state}  ${printable(`${name}  ${alert.display_name} (${alert.id})${details}`)}`;
}
