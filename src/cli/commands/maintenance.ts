// Maintenance windows: alerts of a device or a site are listed, and nobody is notified of them.
import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addExamples, addWindowOptions, type WindowFlags } from "#cli/client-command.ts";
import { fetchList } from "#cli/fetch-list.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, printTable } from "#cli/print.ts";
import { type SiteFlags, siteCommand, siteOf } from "#cli/rule/site-command.ts";
import { openSession } from "#cli/session.ts";
import type { Columns } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { Window } from "#client/page.ts";
import type { MaintenanceWindow } from "#client/resources.ts";

interface StartFlags extends SiteFlags {
  readonly until: string;
  readonly from?: string;
  readonly device?: string;
  readonly reason?: string;
}

export function addMaintenanceCommands(maintenance: Command, cli: Cli): void {
  addWindowOptions(
    siteCommand(maintenance, "list", "List the windows of a site, the one that ends last first."),
  ).action(async (flags: SiteFlags & WindowFlags) => {
    const session = await openSession(cli, flags);
    const site = await siteOf(session, flags);
    const list = (window: Window) => session.client.alerts.maintenance(site, window);
    await printTable(cli, flags, { ...(await session.wait(fetchList("windows", list, flags))), columns: COLUMNS });
  });
  siteCommand(maintenance, "start", "Silence a site or a device: alerts are listed, and nobody is notified.")
    .requiredOption("--until <time>", `when it ends: ${TIME_WORDS}`)
    .option("--from <time>", "when it begins (default: now)")
    .option("--device <device>", "only this device, and what is connected through it, by id or slug")
    .option("--reason <text>", "why, for the others")
    .action(async (flags: StartFlags) => {
      const now = Date.now();
      const [from, until] = [parseMoment("--from", flags.from, now), parseMoment("--until", flags.until, now)];
      if (until === undefined) throw new UsageError("--until is missing");
      const session = await openSession(cli, flags);
      const { device, reason } = flags;
      const body = { until, ...(from && { from }), ...(device && { device_id: device }), ...(reason && { reason }) };
      const answer = await session.wait(session.client.alerts.silence(await siteOf(session, flags), body));
      await printAnswer(cli, flags, answer, () => `silenced until ${answer.window.until} (${answer.window.id})`);
    });
  siteCommand(maintenance, "end <window>", "End a window now.").action(async (id: string, flags: SiteFlags) => {
    const session = await openSession(cli, flags);
    const answer = await session.wait(session.client.alerts.endSilence(await siteOf(session, flags), id));
    await printAnswer(cli, flags, answer, () => "ended");
  });
  addExamples(
    maintenance,
    'maintenance start --until +2h --device battery-1 --reason "new filters"',
    "maintenance list",
  );
}

const COLUMNS: Columns<MaintenanceWindow> = {
  FROM: ({ from }) => from,
  UNTIL: ({ until }) => until,
  DEVICE: ({ device_id }) => device_id ?? "the whole site",
  BY: ({ made_by }) => made_by.name,
  REASON: ({ reason }) => reason,
  ID: ({ id }) => id,
};
