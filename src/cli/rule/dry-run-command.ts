// What a rule would have done with the stored past.
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Command, Option } from "commander";
import type { Cli } from "#cli/cli.ts";
import { parseMoment, TIME_WORDS } from "#cli/parse-time.ts";
import { printAnswer } from "#cli/print.ts";
import { openSession } from "#cli/session.ts";
import { renderChart } from "#cli/telemetry/render-chart.ts";
import { UsageError } from "#cli/usage-error.ts";
import type { NewRuleDryRun, RuleDryRun } from "#client/resources.ts";
import { printable } from "#core/text/printable.ts";
import { readScript } from "./read-script.ts";
import { renderTrace } from "./render-trace.ts";
import { type SiteFlags, siteCommand, siteOf } from "./site-command.ts";

interface DryRunFlags extends SiteFlags {
  readonly from: string;
  readonly to: string;
  readonly set: readonly string[];
  readonly chart?: true;
  readonly traces?: true;
}

export function addDryRun(rule: Command, cli: Cli): void {
  siteCommand(rule, "dry-run <rule>", "Try a rule or a file with the stored past. Nothing is done.")
    .addOption(new Option("--from <time>", TIME_WORDS).default("-7d"))
    .addOption(new Option("--to <time>", "the same").default("now"))
    .option("--set <name=value>", "begin with this value of a variable", (text, all: string[]) => [...all, text], [])
    .option("--chart", "draw what it would have claimed")
    .option("--traces", "print what it would have done and why, the last 100")
    .action(async (name: string, flags: DryRunFlags) => {
      const session = await openSession(cli, flags);
      const site = await siteOf(session, flags);
      const now = Date.now();
      const path = resolve(cli.cwd, name);
      const what = existsSync(path) ? { script: readScript(cli, name, {}) } : { rule: name };
      const variables = variablesOf(flags.set);
      const body: NewRuleDryRun = {
        ...what,
        from: parseMoment("--from", flags.from, now) ?? "",
        to: parseMoment("--to", flags.to, now) ?? "",
        ...(flags.set.length === 0 ? {} : { variables }),
      };
      const answer = await session.wait(session.client.rules.dryRun(site, body));
      const names = await slugsOf(session, answer.dry_run);
      await printAnswer(cli, flags, answer, () => {
        const parts = [summaryOf(answer.dry_run, names)];
        if (flags.chart) parts.push(chartOf(answer.dry_run, names, cli));
        if (flags.traces) parts.push(...answer.dry_run.traces.toReversed().map(renderTrace));
        return parts.join("\n\n");
      });
    });
}

/** A value is a number, true, false or a text. */
function variablesOf(given: readonly string[]): Record<string, number | boolean | string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf("=");
      if (at < 1 || at === text.length - 1) throw new UsageError(`--set takes name=value, not "${text}"`);
      const value = text.slice(at + 1);
      if (value === "true" || value === "false") return [text.slice(0, at), value === "true"];
      return [text.slice(0, at), value.trim() === "" || Number.isNaN(Number(value)) ? value : Number(value)];
    }),
  );
}

async function slugsOf({ client, wait }: Awaited<ReturnType<typeof openSession>>, run: RuleDryRun) {
  const ids = [...new Set(run.claims.map(({ device_id }) => device_id))];
  const found = ids.map(async (id) => {
    const slug = await client.devices.get(id).then(
      ({ device }) => device.slug,
      () => id,
    );
    return [id, slug] as const;
  });
  return new Map(await wait(Promise.all(found)));
}

type Names = ReadonlyMap<string, string>;

function summaryOf(run: RuleDryRun, names: Names): string {
  const { from, simulated_to: to, started, on_seconds: on, claims, effects, problems } = run;
  const lines = [
    `${from} to ${to}: it would have started ${timesOf(started)}${on === null ? "" : ` and been on for ${lengthOf(on)}`}`,
    ...claims.map(({ device_id, control, count, seconds, energy_wh }) => {
      const energy = energy_wh === null ? "" : `, ${(energy_wh / 1_000).toFixed(2)} kWh`;
      return `claims ${control} of ${names.get(device_id) ?? device_id}: ${timesOf(count)}, ${lengthOf(seconds)}${energy}`;
    }),
    ...[...Map.groupBy(effects, ({ kind, text }) => `${kind} ${text}`)].map(
      ([text, all]) => `${text}: ${timesOf(all.length)}`,
    ),
    ...problems.map((problem) => `note: ${problem}`),
  ];
  return lines.map(printable).join("\n");
}

const timesOf = (count: number) => (count === 1 ? "once" : `${count} times`);

function lengthOf(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 1) return `${Math.round(seconds)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const CHART_POINTS = 400;

/** Each claim as a line: the value while it was claimed. */
function chartOf(run: RuleDryRun, names: Names, { stdout }: Cli): string {
  const [from, to] = [Date.parse(run.from), Date.parse(run.simulated_to)];
  const stepMs = Math.max((to - from) / CHART_POINTS, 1);
  const series = run.claims.map(({ device_id, control, unit }) => {
    const own = run.bands
      .filter((band) => band.device_id === device_id && band.control === control)
      .flatMap(({ value, ...band }) =>
        value === null ? [] : [{ value, from: Date.parse(band.from), to: Date.parse(band.to) }],
      );
    const points = Array.from({ length: CHART_POINTS }, (_, n) => {
      const at = from + n * stepMs;
      return { at, value: own.find((band) => band.from < at + stepMs && band.to > at)?.value ?? 0 };
    });
    return { name: `${names.get(device_id) ?? device_id}:${control}`, unit: unit ?? undefined, stepMs, points };
  });
  if (series.length === 0) return "it would have claimed nothing";
  return renderChart(series, { from, to, columns: stdout.columns ?? 100, colour: stdout.hasColors?.() === true });
}
