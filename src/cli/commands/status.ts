import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { addOutputOption, isForPeople } from "#cli/output-format.ts";
import { printTable, remark } from "#cli/print.ts";
import { type ClientFlags, openSession, type Session } from "#cli/session.ts";
import { listAll } from "#client/list-all.ts";
import type { Device, Site } from "#client/resources.ts";

/** How a site does. */
type SiteStatus = {
  readonly id: string;
  readonly name: string;
  readonly devices: number;
  readonly online: number;
  readonly offline: number;
  /** Devices that were never heard from, and in a cloud those behind a gateway that is away. */
  readonly unknown: number;
  readonly alerts: number;
  readonly running: number;
};

export function addStatusCommand(status: Command, cli: Cli): void {
  addConnectionOptions(addOutputOption(status)).action(async (flags: ClientFlags) => {
    const session = await openSession(cli, flags);
    const rows = await session.wait(readStatus(session));
    const ready = await session.wait(session.client.ready());
    const answer = { url: session.url.href, ready, sites: rows };
    if (isForPeople(flags.output)) remark(cli, `${session.url.href} is ready`);
    await printTable(cli, flags, { answer, rows, columns: COLUMNS, wide: { ID: (one: SiteStatus) => one.id } });
  });
  addExamples(status, "status", "status -o json");
}

async function readStatus({ client }: Session): Promise<readonly SiteStatus[]> {
  const expand = ["connectivity"] as const;
  const [sites, devices] = await Promise.all([
    Array.fromAsync(listAll("sites", client.sites.list)),
    Array.fromAsync(listAll("devices", (window) => client.devices.list({ ...window, expand }))),
  ]);
  const ofSite = Map.groupBy(devices, (device) => device.site_id);
  return await Promise.all(sites.map((site) => statusOf(client, site, ofSite.get(site.id) ?? [])));
}

async function statusOf(
  client: Session["client"],
  { id, name }: Site,
  devices: readonly Device[],
): Promise<SiteStatus> {
  const only = { limit: 0 };
  const [alerts, running] = await Promise.all([
    client.alerts.listBySite(id, { active: true, ...only }),
    client.commands.listBySite(id, { "state.in": ["NEW", "IN_PROGRESS", "UNSYNC"], retention: "ALL", ...only }),
  ]);
  const withStatus = (wanted: string) => devices.filter(({ connectivity }) => connectivity?.status === wanted).length;
  const [online, offline] = [withStatus("ONLINE"), withStatus("OFFLINE")];
  return {
    id,
    name,
    devices: devices.length,
    online,
    offline,
    unknown: devices.length - online - offline,
    alerts: alerts.total_count,
    running: running.total_count,
  };
}

const COLUMNS = {
  SITE: (one: SiteStatus) => one.name,
  DEVICES: (one: SiteStatus) => one.devices,
  ONLINE: (one: SiteStatus) => one.online,
  OFFLINE: (one: SiteStatus) => one.offline,
  UNKNOWN: (one: SiteStatus) => one.unknown,
  ALERTS: (one: SiteStatus) => one.alerts,
  RUNNING: (one: SiteStatus) => one.running,
};
