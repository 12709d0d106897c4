// What a rule would have done with the stored past of its site. Nothing of it is done.
import { refuse } from "#core/app-error.ts";
import type { Moment } from "#core/rule/rule.ts";
import { type RuleReads, ruleReads } from "#core/rule/rule-reads.ts";
import type { Simulation } from "#core/rule/simulate-rule.ts";
import type { RuleScript, VariableValue } from "#core/rule/site-rule.ts";
import { requesterOf } from "#core/share/requester.ts";
import type { Site } from "#core/site/site.ts";
import { instant } from "#core/time/instant.ts";
import type { SiteCalendars } from "#service/calendar/site-calendars.ts";
import { readKnownPrices } from "#service/energy/known-prices.ts";
import { DAYS_AROUND_MS } from "#service/energy/site-prices.ts";
import type { SimulateRule } from "#service/ports/simulate-rule.ts";
import type { Call, Needs } from "#service/ports.ts";
import type { LuaDryRun } from "#service/rule/lua-dry-run.ts";
import { callOfRule } from "#service/rule/rule-caller.ts";
import { lookForModules } from "#service/rule/rule-modules.ts";
import { cronProblem } from "#service/schedule/next-time.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";
import { nobodyWaits, pastValues } from "./past-values.ts";

export interface DryRunRuleNeeds extends NowNeeds, Pick<Needs, "rules" | "tariffs"> {
  readonly simulateRule: SimulateRule;
  readonly luaDryRun: Pick<LuaDryRun, "run">;
  readonly siteCalendars: Pick<SiteCalendars, "book">;
}

interface DryRunInput {
  readonly site: Site;
  readonly script: RuleScript;
  readonly from: number;
  readonly to: number;
  /** Instead of those of now. */
  readonly variables: Readonly<Record<string, VariableValue>>;
  readonly signal: AbortSignal;
}

export interface DryRun extends Simulation {
  readonly hasLevel: boolean;
  readonly problems: readonly string[];
}

export async function dryRunRule(needs: DryRunRuleNeeds, call: Call, input: DryRunInput): Promise<DryRun> {
  return input.script.runtimeVersion === "V3" ? await dryRunScript(needs, input) : await dryRunYaml(needs, call, input);
}

async function variablesOf(needs: DryRunRuleNeeds, { site, variables: given }: DryRunInput) {
  const current = await needs.rules.variables(site.id);
  const variables = new Map<string, VariableValue>(current.map(({ name, value }) => [name, value]));
  for (const [name, value] of Object.entries(given)) variables.set(name, value);
  return variables;
}

/** Of the script, whatever it is stored as. */
const TRIED = { id: "dry-run", slug: "dry-run", disabled: false, revision: 1 } as const;

async function dryRunScript(needs: DryRunRuleNeeds, input: DryRunInput): Promise<DryRun> {
  const { site, script, from, to, signal } = input;
  const rule = { ...TRIED, siteId: site.id, script, createdAt: instant(from), updatedAt: instant(from) };
  const modules = await lookForModules(needs).of({ siteId: site.id, slug: TRIED.slug, script });
  const variables = await variablesOf(needs, input);
  const given = { rule, modules, timezone: site.timezone, from, to, variables };
  const simulation = await needs.luaDryRun.run(given, signal).catch((error: unknown) => {
    throw signal.aborted ? nobodyWaits() : error;
  });
  return { ...simulation, onMs: 0, hasLevel: false };
}

async function dryRunYaml(needs: DryRunRuleNeeds, call: Call, input: DryRunInput): Promise<DryRun> {
  const { site, script, from, to, signal } = input;
  const { parseRule } = await import("#manifest/rule/parse-rule.ts");
  const text = Buffer.from(script.code, "base64").toString("utf8");
  const { rule } = parseRule(text, { cronProblem });
  if (rule === undefined) throw refuse("invalid_body", "the rule has errors", { pointer: "/script/code" });
  const reads = ruleReads(rule);
  const own = callOfRule({ id: "dry-run", siteId: site.id, slug: "dry-run" }, "dryRunRule");
  const requester = requesterOf(call.caller, call.remoteAddress).key;
  const past = await pastValues(needs, own, { reads, from, to, signal, requester });
  const variables = await variablesOf(needs, input);
  const { latitude, longitude } = site.location ?? {};
  const location = latitude === undefined || longitude === undefined ? undefined : { latitude, longitude };
  const calendars = reads.calendars.length === 0 ? [] : (await needs.siteCalendars.book(site.id)).calendars;
  const range = { from: from - DAYS_AROUND_MS, to: to + DAYS_AROUND_MS };
  const asked = { siteId: site.id, timezone: site.timezone, range };
  const prices = reads.prices.length === 0 ? undefined : await readKnownPrices(needs, asked);
  const about = { timezone: site.timezone, location, calendars, prices };
  const task = { text, from, to, ...about, variables: [...variables], columns: past.columns };
  const simulation = await needs.simulateRule(task, signal).catch((error: unknown) => {
    throw signal.aborted ? nobodyWaits() : error;
  });
  const problems = [
    ...simplified(past.stepMs, past.missing),
    ...unknownIn(reads, rule.moments, new Set(Object.keys(input.variables))),
    ...(simulation.simulatedTo < to ? ["there was too much to simulate; the end is left out"] : []),
  ];
  return { ...simulation, hasLevel: rule.level !== undefined, problems };
}

function simplified(stepMs: number, missing: readonly string[]): readonly string[] {
  return [
    ...(stepMs > 1_000 ? [`of each ${stepMs / 1_000} s only the last value of an attribute was used`] : []),
    ...missing.map((name) => `nothing is stored of ${name} in this time, so it was unknown`),
  ];
}

function unknownIn(reads: RuleReads, moments: readonly Moment[], given: ReadonlySet<string>): readonly string[] {
  const now = reads.variables.filter((name) => !given.has(name));
  return [
    ...(now.length > 0 ? [`variables began with their values of now: ${now.join(", ")}`] : []),
    ...(reads.calendars.length > 0 ? [`calendars count as they are now: ${reads.calendars.join(", ")}`] : []),
    ...(reads.prices.length > 0 ? ["prices count as they are stored now, also before they were known"] : []),
    ...(reads.controls.length > 0 ? ["what controlled devices then is not known here, so it was unknown"] : []),
    ...(reads.devices.length > 0 ? ["connections and alerts of then are not known here, so they were unknown"] : []),
    ...(moments.some(({ kind }) => kind === "ended") ? ["ends of commands did not come"] : []),
  ];
}
