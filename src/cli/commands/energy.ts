import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { addConnectionOptions, addExamples } from "#cli/client-command.ts";
import { findSite } from "#cli/find-site.ts";
import { isForPeople } from "#cli/output-format.ts";
import { parseTime, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer, remark } from "#cli/print.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { renderRecord, renderTable } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { writeOutput } from "#cli/write-output.ts";
import type { SiteEnergy } from "#client/resources.ts";
import { STEP_UNITS, type StepUnit } from "#core/energy/energy-steps.ts";

type EnergyFlags = ClientFlags & {
  readonly day?: string | true;
  readonly week?: string | true;
  readonly month?: string | true;
  readonly year?: string | true;
  readonly from?: string;
  readonly to?: string;
  readonly step?: StepUnit;
  readonly before?: true;
  readonly costs?: true;
};

/** The step of tables, where none is given. */
const USUAL_STEPS = { day: "hour", week: "day", month: "day", year: "month", range: "day" } as const;

export function addEnergyCommand(energy: Command, cli: Cli): void {
  energy
    .argument("<site>", "id or name")
    .option("--day [day]", "today (the default), yesterday, or a day such as 2026-11-15")
    .option("--week [week]", "this week, or one such as 2026-W47")
    .option("--month [month]", "this month, or one such as 2026-10")
    .option("--year [year]", "this year, or one such as 2025")
    .option("--from <time>", `start: ${TIME_WORDS}`)
    .option("--to <time>", "end, not included (default now)")
    .addOption(new Option("--step <step>", "also a row for each of these steps").choices(STEP_UNITS))
    .option("--before", "beside the period before")
    .option("--costs", "with costs by the tariff of the site (busbar tariff)")
    .addOption(
      new Option("-o, --output <format>", "how to print the answer; csv and parquet are the steps")
        .choices(["table", "wide", "json", "yaml", "csv", "parquet"])
        .default("table"),
    );
  addConnectionOptions(energy).action(async (site: string, flags: EnergyFlags) => {
    const session = await openSession(cli, flags);
    const siteId = await findSite(session, site);
    const { kind, ...period } = periodOf(flags);
    const { step, before, costs, output } = flags;
    const query = {
      ...period,
      ...(step !== undefined && { step }),
      ...(before === true && { before }),
      ...(costs === true && { costs }),
    };
    if (output === "csv" || output === "parquet") {
      const table = { ...query, step: step ?? USUAL_STEPS[kind] };
      await writeOutput(cli, await session.wait(session.client.sites.energyTable(siteId, output, table)));
      return;
    }
    const answer = await session.wait(session.client.sites.energy(siteId, query));
    await printAnswer(cli, flags, answer, (colour) => render(answer.energy, colour));
    if (!isForPeople(output)) return;
    for (const text of remarksOn(answer.energy)) remark(cli, text);
  });
  addExamples(
    energy,
    'energy "Demo site"',
    'energy "Demo site" --day yesterday --step hour',
    'energy "Demo site" --month --before --costs',
    'energy "Demo site" --year 2026 --step month --costs -o csv',
  );
}

function remarksOn(energy: SiteEnergy): readonly string[] {
  return [...gapsOf(energy), ...doubtsOf(energy), ...correctedOf(energy), ...unpricedOf(energy)];
}

/** Names of running periods are those of the site's clock. */
function periodOf({ day, week, month, year, from, to }: EnergyFlags): {
  readonly kind: keyof typeof USUAL_STEPS;
  readonly period?: string;
  readonly from?: string;
  readonly to?: string;
} {
  const given = [day, week, month, year, from ?? to].filter((one) => one !== undefined);
  if (given.length > 1) throw new UsageError("give one of --day, --week, --month, --year, or --from and --to");
  const now = Date.now();
  if (to !== undefined && from === undefined) throw new UsageError("--to needs --from");
  const moment = (flag: string, text: string) => new Date(parseTime(flag, text, now)).toISOString();
  if (from !== undefined) {
    return { kind: "range", from: moment("--from", from), ...(to !== undefined && { to: moment("--to", to) }) };
  }
  if (week !== undefined) return { kind: "week", period: week === true ? "this_week" : week };
  if (month !== undefined) return { kind: "month", period: month === true ? "this_month" : month };
  if (year !== undefined) return { kind: "year", period: year === true ? "this_year" : year };
  return { kind: "day", period: day === undefined || day === true ? "today" : day };
}

type DeviceRow = SiteEnergy["devices"][number];

function render(energy: SiteEnergy, colour: boolean): string {
  const { total, peak_from_grid, timezone, from, to, before, costs, steps } = energy;
  const local = localTimes(timezone);
  const was = (field: keyof SiteEnergy["total"]) =>
    before === undefined ? "" : `  (before: ${kilowattHours(before.total[field])})`;
  const record = renderRecord(
    {
      Period: `${local(from)} to ${local(to)} (${timezone})`,
      ...(before !== undefined && {
        Before: `${local(before.from)} to ${local(before.to)}${before.is_cut ? ", as much of it as has passed now" : ""}`,
      }),
      Produced: kilowattHours(total.produced) + was("produced"),
      Used: kilowattHours(total.used) + was("used"),
      "Self-used": `${kilowattHours(total.self_used)}${percent(total.self_consumption, "of the production")}`,
      "From the grid": kilowattHours(total.from_grid) + was("from_grid"),
      "To the grid": kilowattHours(total.to_grid) + was("to_grid"),
      Charged: kilowattHours(total.charged),
      Discharged: kilowattHours(total.discharged),
      "Self-sufficiency": total.self_sufficiency === null ? "unknown" : `${Math.round(total.self_sufficiency * 100)} %`,
      "Peak from the grid":
        peak_from_grid === null
          ? "none"
          : `${(peak_from_grid.power / 1_000).toFixed(2)} kW at ${local(peak_from_grid.at)}, mean of 15 minutes`,
      ...(costs && costRecord(costs, before?.costs)),
    },
    colour,
  );
  const tables = [deviceTable(energy, colour)];
  if (costs) tables.push(rateTable(costs, colour));
  if (steps !== undefined) tables.push(stepTable(steps, { local, colour, currency: costs?.currency }));
  return [record, ...tables].filter((text) => text !== "").join("\n\n");
}

function localTimes(timezone: string): (at: string) => string {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone: timezone, dateStyle: "short", timeStyle: "short" });
  return (at) => format.format(new Date(at));
}

type Costs = NonNullable<SiteEnergy["costs"]>;

function costRecord(costs: Costs, before: Costs | undefined): Readonly<Record<string, string>> {
  const { currency, co2 } = costs;
  return {
    "Paid for energy": money(costs.import, currency),
    "Earned by feed-in": money(costs.export, currency),
    "Base charge": money(costs.base, currency),
    "Peak charge": costs.peak === null ? "not of a part of its period" : money(costs.peak, currency),
    Net: money(costs.net, currency) + (before === undefined ? "" : `  (before: ${money(before.net, currency)})`),
    CO2: co2 === null ? "unknown" : `${(co2 / 1_000).toFixed(2)} kg`,
  };
}

function money(amount: number | null, currency: string): string {
  return amount === null ? "unknown" : `${amount.toFixed(2)} ${currency}`;
}

function rateTable({ by_rate, currency }: Costs, colour: boolean): string {
  if (by_rate.length === 0) return "";
  return renderTable(
    {
      RATE: ({ name }: Costs["by_rate"][number]) => name,
      OF: ({ kind }) => kind,
      ENERGY: ({ energy }) => kilowattHours(energy),
      AMOUNT: ({ amount }) => money(amount, currency),
    },
    by_rate,
    { colour },
  );
}

type Step = NonNullable<SiteEnergy["steps"]>[number];

function stepTable(
  steps: readonly Step[],
  { local, colour, currency }: { local: (at: string) => string; colour: boolean; currency: string | undefined },
): string {
  const amount = (field: keyof Step) => (step: Step) => {
    const value = step[field];
    return typeof value === "number" ? (value / 1_000).toFixed(2) : undefined;
  };
  return renderTable<Step>(
    {
      FROM: ({ from }) => local(from),
      SOLAR: amount("solar"),
      "FROM GRID": amount("from_grid"),
      "TO GRID": amount("to_grid"),
      CHARGED: amount("charged"),
      DISCHARGED: amount("discharged"),
      CAR: amount("car"),
      HYDROGEN: amount("hydrogen"),
      LOAD: amount("load"),
      REST: amount("rest"),
      "USED KWH": amount("used"),
      ...(currency !== undefined && {
        [`NET ${currency}`]: ({ costs }: Step) => (costs?.net == null ? undefined : costs.net.toFixed(2)),
      }),
      COMPLETE: ({ is_complete }) => (is_complete ? "yes" : "no"),
    },
    steps,
    { colour },
  );
}

function deviceTable({ devices }: SiteEnergy, colour: boolean): string {
  if (devices.length === 0) return "";
  return renderTable(
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

/** What the costs leave out looks like energy that is free, so it is named. */
function unpricedOf({ costs }: SiteEnergy): readonly string[] {
  if (costs === undefined) return [];
  if (costs === null) return ["the site has no tariff; busbar tariff set SITE FILE gives it one"];
  const parts = [
    ...(costs.unpriced_energy.import > 0 ? [`${kilowattHours(costs.unpriced_energy.import)} from the grid`] : []),
    ...(costs.unpriced_energy.export > 0 ? [`${kilowattHours(costs.unpriced_energy.export)} to the grid`] : []),
  ];
  return parts.map((part) => `${part} has no price and is not in the costs`);
}
