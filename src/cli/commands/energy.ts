import type { Command } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { findSite } from "#cli/find-site.ts";
import { addOutputOption, isForPeople } from "#cli/output-format.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { SiteEnergy } from "#client/resources.ts";

type EnergyFlags = ClientFlags & {
  readonly day?: string | true;
  readonly month?: string | true;
  readonly year?: string | true;
  readonly from?: string;
  readonly to?: string;
};

export function addEnergyCommand(energy: Command, cli: Cli): void {
  energy
    .argument("<site>", "id or name")
    .option("--day [day]", "today (the default), yesterday, or a day such as 2026-11-15")
    .option("--month [month]", "this month, or one such as 2026-10")
    .option("--year [year]", "this year, or one such as 2025")
    .option("--from <time>", `start: ${TIME_WORDS}`)
    .option("--to <time>", "end, not included (default now)");
  addConnectionOptions(addOutputOption(energy)).action(async (site: string, flags: EnergyFlags) => {
    const session = await openSession(cli, flags);
    const siteId = await findSite(session, site);
    const { site: found } = await session.wait(session.client.sites.get(siteId));
    const answer = await session.wait(session.client.sites.energy(siteId, periodOf(flags, found.timezone)));
    await printAnswer(cli, flags, answer, (colour) => render(answer.energy, colour));
    if (!isForPeople(flags.output)) return;
    for (const text of [...gapsOf(answer.energy), ...doubtsOf(answer.energy), ...correctedOf(answer.energy)]) {
      remark(cli, text);
    }
  });
  addExamples(energy, 'energy "Demo site"', 'energy "Demo site" --day yesterday', 'energy "Demo site" --month -o json');
}

function periodOf(
  { day, month, year, from, to }: EnergyFlags,
  timezone: string,
): { readonly period?: string; readonly from?: string; readonly to?: string } {
  const given = [day, month, year, from ?? to].filter((one) => one !== undefined);
  if (given.length > 1) throw new UsageError("give one of --day, --month, --year, or --from and --to");
  const now = Date.now();
  if (to !== undefined && from === undefined) throw new UsageError("--to needs --from");
  const moment = (flag: string, text: string) => new Date(parseTime(flag, text, now)).toISOString();
  if (from !== undefined) {
    return { from: moment("--from", from), ...(to !== undefined && { to: moment("--to", to) }) };
  }
  // A day as the site's clocks show it: 2026-11-15.
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(now);
  if (month !== undefined) return { period: month === true ? today.slice(0, 7) : month };
  if (year !== undefined) return { period: year === true ? today.slice(0, 4) : year };
  return { period: day === undefined || day === true ? "today" : day };
}

type DeviceRow = SiteEnergy["devices"][number];

function render({ total, peak_from_grid, devices, timezone, from, to }: SiteEnergy, colour: boolean): string {
  const local = (at: string) =>
    new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "short" }).format(
      new Date(at),
    );
  const record = renderRecord(
    {
      Period: `${local(from)} to ${local(to)} (${timezone})`,
      Produced: kilowattHours(total.produced),
      Used: kilowattHours(total.used),
      "Self-used": `${kilowattHours(total.self_used)}${percent(total.self_consumption, "of the production")}`,
      "From the grid": kilowattHours(total.from_grid),
      "To the grid": kilowattHours(total.to_grid),
      Charged: kilowattHours(total.charged),
      Discharged: kilowattHours(total.discharged),
      "Self-sufficiency": total.self_sufficiency === null ? "unknown" : `${Math.round(total.self_sufficiency * 100)} %`,
      "Peak from the grid":
        peak_from_grid === null
          ? "none"
          : `${(peak_from_grid.power / 1_000).toFixed(2)} kW at ${local(peak_from_grid.at)}, mean of 15 minutes`,
    },
    colour,
  );
  const table = renderTable(
    {
      DEVICE: ({ slug }: DeviceRow) => slug,
      ROLE: ({ role }) => role,
      ENERGY: ({ energy }) => kilowattHours(energy),
      BACK: ({ energy_back }) => (energy_back === null ? undefined : kilowattHours(energy_back)),
      FROM: ({ basis }) => basis ?? undefined,
      "POWER NOW": ({ power }) => (power === null ? undefined : `${(power / 1_000).toFixed(2)} kW`),
      "HOURS KNOWN": ({ hours_known, hours }) => `${hours_known} of ${hours}`,
    },
    devices,
    { colour },
  );
  return devices.length === 0 ? record : `${record}\n\n${table}`;
}

function kilowattHours(wattHours: number | null): string {
  return wattHours === null ? "unknown" : `${(wattHours / 1_000).toFixed(2)} kWh`;
}

function percent(share: number | null, what: string): string {
  return share === null ? "" : ` (${Math.round(share * 100)} % ${what})`;
}

/** Figures that are too low because values are missing look like any others, so they are named. */
function gapsOf({ devices }: SiteEnergy): readonly string[] {
  if (devices.length === 0)
    return ["no device of the site reports energy; blueprints declare it with the profiles energy.*"];
  return devices
    .filter(({ hours_known, hours }) => hours_known < hours)
    .map(({ slug, hours_known, hours, basis }) =>
      basis === null
        ? `${slug} sent nothing in this period`
        : `${slug} sent nothing in ${hours - hours_known} of ${hours} hours${basis === "power" ? ", which count nothing" : ""}`,
    );
}

/** Steps of counters that cannot be right by themselves. */
function doubtsOf({ doubtful, doubtful_cut }: SiteEnergy): readonly string[] {
  const steps = doubtful.map(
    ({ slug, attribute, kind, before, value, at }) =>
      `doubtful: ${slug} ${attribute} ${kind === "fall" ? "fell" : "rose"} from ${before} to ${value} at ${at}`,
  );
  const hint =
    doubtful.length === 0 ? [] : ["say what they were: busbar correction create DEVICE ATTRIBUTE TIME --as ..."];
  const more = doubtful_cut ? ["there may be more doubtful steps; take a shorter period"] : [];
  return [...steps, ...hint, ...more];
}

function correctedOf({ corrections }: SiteEnergy): readonly string[] {
  return corrections.map(({ slug, attribute, before, value, at, kind, adjustment, author }) => {
    const added =
      adjustment === null ? "its points have changed, so it adds nothing" : `${kilowattHours(adjustment)} added`;
    const what = kind.replaceAll("_", " ");
    return `corrected: ${slug} ${attribute} from ${before} to ${value} at ${at}: ${what}, ${added} (${author.name})`;
  });
}
