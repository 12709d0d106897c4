// The energies of a site in a period, by steps and beside the period before, and the power that flows now.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import { refuse } from "#core/app-error.ts";
import type { Device } from "#core/device/device.ts";
import {
  balanceOf,
  type DeviceFlow,
  type EnergyBalance,
  type EnergyGroups,
  groupsOf,
} from "#core/energy/energy-balance.ts";
import type { EnergyCosts } from "#core/energy/energy-costs.ts";
import type { EnergyRole } from "#core/energy/energy-sources.ts";
import { coarserUnit, MAX_STEPS, type StepUnit, stepsOf } from "#core/energy/energy-steps.ts";
import { type NamedPeriod, type Period, periodBefore } from "#core/energy/parse-period.ts";
import { hoursBySteps, mergeCells, type QuarterCells, sumBySteps } from "#core/energy/quarter-cells.ts";
import { itemAt } from "#core/item-at.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { type AppliedCorrections, applyCorrections } from "#service/energy/apply-corrections.ts";
import { type DoubtfulSteps, findDoubtful } from "#service/energy/find-doubtful.ts";
import { findSources, type SiteSource } from "#service/energy/find-sources.ts";
import { findPricing, type PeriodCosts, type Pricing, readCosts } from "#service/energy/read-costs.ts";
import { readFlow, type SourceFlow } from "#service/energy/read-flows.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";

export type EnergyNeeds = NowNeeds & Pick<Needs, "sites" | "corrections" | "tariffs" | "now">;

/** Energies are whole milliwatt-hours. */
export interface DeviceEnergy extends DeviceFlow {
  readonly device: Device;
  /** Where the figures come from. Undefined when there are none. */
  readonly basis: "counter" | "power" | undefined;
  /** Hours of the period that have any value, and all of them so far. */
  readonly hoursKnown: number;
  readonly hours: number;
  /** Watts. Undefined when the latest value is old. */
  readonly power: number | undefined;
}

/** Energies of a span of time, in whole milliwatt-hours. */
export interface EnergySums {
  readonly total: EnergyBalance;
  readonly groups: EnergyGroups;
}

export interface EnergyStep extends EnergySums, Period {
  /** Hours in which every device has a value, and all hours that the step touches. */
  readonly hoursKnown: number;
  readonly hours: number;
  /** Whether the step is over and every device has values in each of its hours. */
  readonly isComplete: boolean;
  /** Doubtful steps of counters in it. */
  readonly doubtful: number;
  readonly costs: EnergyCosts | undefined;
}

export interface SiteEnergy extends EnergySums {
  readonly timezone: string;
  /** The whole period, also what of it is to come. */
  readonly period: NamedPeriod;
  readonly isRunning: boolean;
  readonly from: Instant;
  /** The end of what has passed of the period. */
  readonly to: Instant;
  readonly devices: readonly DeviceEnergy[];
  /** Undefined unless asked for. */
  readonly steps: readonly EnergyStep[] | undefined;
  readonly before:
    | (EnergySums & Period & { readonly isCut: boolean; readonly costs: PeriodCosts | undefined })
    | undefined;
  /** Undefined unless asked for, or the site has no tariff. */
  readonly costs: PeriodCosts | undefined;
  /** The highest mean of a quarter of an hour. */
  readonly peakFromGrid: { readonly power: number; readonly at: Instant } | undefined;
  /** Watts. A battery is positive while it discharges, the grid while the site takes from it. */
  readonly now: Readonly<Record<EnergyRole, number | undefined>>;
  /** Steps of the counters that a person should look at. */
  readonly doubtful: DoubtfulSteps;
  /** What people said about steps of the period, in the order of devices and times. */
  readonly corrections: AppliedCorrections["corrections"];
}

/** A power that is older says nothing about now. */
const FRESH_MS = 5 * 60_000;

interface Asked {
  readonly siteId: string;
  readonly period: (timezone: string, now: number) => NamedPeriod;
  readonly step: StepUnit | undefined;
  readonly isBeforeAsked: boolean;
  readonly areCostsAsked: boolean;
}

export async function readSiteEnergy(
  needs: EnergyNeeds,
  call: Call,
  { siteId, period: choose, step, isBeforeAsked, areCostsAsked }: Asked,
): Promise<SiteEnergy> {
  const { timezone } = await visibleSite(needs, call, siteId);
  const now = needs.now();
  const period = choose(timezone, now);
  const range = passedOf(period, now);
  const spans = step === undefined ? undefined : splitPeriod(range, step, timezone);
  const pricing = areCostsAsked ? await findPricing(needs, { siteId, timezone }) : undefined;
  const sources = await findSources(needs, call, siteId);
  // Reads are spread over the reading threads.
  const [{ corrections, flows, powers, doubtful }, before] = await Promise.all([
    readSpan(needs, call, { sources, range }),
    isBeforeAsked
      ? readBefore(needs, call, { sources, pricing, now, before: periodBefore(period, timezone, now) })
      : undefined,
  ]);
  const costs = pricing && (await readCosts(needs, { pricing, flows, powers, range, steps: spans ?? [range], now }));
  const devices = flows.map((flow) => deviceOf(needs, { flow, range, now }));
  return {
    timezone,
    period,
    isRunning: now < period.to,
    ...range,
    ...sumsOf(devices),
    devices,
    costs: costs?.whole,
    steps: spans && stepRows(flows, spans, { doubtful, now, costs: costs?.steps }),
    before,
    peakFromGrid: highestOf(powers),
    now: flowNow(devices),
    doubtful,
    corrections,
  };
}

/** The future has no values, and is not missing any. */
function passedOf({ from, to }: Period, now: number): Period {
  return { from, to: instant(Math.max(from + 1, Math.min(to, now))) };
}

function splitPeriod(range: Period, unit: StepUnit, timezone: string): readonly Period[] {
  const steps = stepsOf(range, unit, timezone);
  if (steps !== undefined) return steps;
  const message = `the period has more than ${MAX_STEPS} steps of this length; take a shorter period, or step=${coarserUnit(unit)}`;
  throw refuse("invalid_query", message, { parameter: "step" });
}

/** Nobody looks for them in the period before. */
const NO_STEPS: DoubtfulSteps = { steps: [], isCut: false };

/** What flowed in a span of time, with corrections, and the mean power from the grid by quarter of an hour. */
async function readSpan(
  needs: EnergyNeeds,
  call: Call,
  { sources, range, isWhole = true }: { sources: readonly SiteSource[]; range: Period; isWhole?: boolean },
) {
  const applied = await applyCorrections(needs, call, { sources, range });
  const { adjustments } = applied;
  const flows = await Promise.all(sources.map((source) => readFlow(needs, call, { source, range, adjustments })));
  const known = flows.map(({ source, rises }) => ({ ...source, rises }));
  const doubtful = isWhole
    ? await findDoubtful(needs, call, { sources: known, range, isCorrected: applied.isCorrected })
    : NO_STEPS;
  return { ...applied, flows, powers: gridPowers(flows), doubtful };
}

interface AskedBefore {
  readonly sources: readonly SiteSource[];
  readonly before: ReturnType<typeof periodBefore>;
  readonly pricing: Pricing | undefined;
  readonly now: number;
}

async function readBefore(
  needs: EnergyNeeds,
  call: Call,
  { sources, before, pricing, now }: AskedBefore,
): Promise<NonNullable<SiteEnergy["before"]>> {
  const { flows, powers } = await readSpan(needs, call, { sources, range: before, isWhole: false });
  const costs = pricing && (await readCosts(needs, { pricing, flows, powers, range: before, steps: [before], now }));
  const [sums] = sumSpans(flows, [before]);
  return { ...before, ...(sums ?? sumsOf([])), costs: costs?.whole };
}

function sumsOf(flows: readonly DeviceFlow[]): EnergySums {
  const total = balanceOf(flows);
  return { total, groups: groupsOf(flows, total) };
}

/** The sums of spans that follow each other. */
function sumSpans(flows: readonly SourceFlow[], spans: readonly Period[]): readonly EnergySums[] {
  const columns = flows.map(({ source: { role, group }, forward, backward }) => ({
    role,
    group,
    forward: sumBySteps(forward, spans),
    backward: sumBySteps(backward, spans),
  }));
  return spans.map((_, n) =>
    sumsOf(columns.map((one) => ({ ...one, forward: one.forward[n], backward: one.backward[n] }))),
  );
}

function stepRows(
  flows: readonly SourceFlow[],
  spans: readonly Period[],
  {
    doubtful,
    now,
    costs,
  }: { readonly doubtful: DoubtfulSteps; readonly now: number; readonly costs: readonly EnergyCosts[] | undefined },
): readonly EnergyStep[] {
  const hours = flows.map(({ hourStarts }) => hoursBySteps(hourStarts, spans, HOUR_MS));
  return sumSpans(flows, spans).map((sums, n): EnergyStep => {
    const { from, to } = spans[n] ?? { from: instant(0), to: instant(0) };
    const all = Math.ceil(to / HOUR_MS) - Math.floor(from / HOUR_MS);
    const hoursKnown = flows.length === 0 ? 0 : Math.min(...hours.map((one) => one[n]?.known ?? 0));
    return {
      from,
      to,
      ...sums,
      hoursKnown,
      hours: all,
      isComplete: hoursKnown === all && to < now,
      doubtful: doubtful.steps.filter(({ after }) => after.at >= from && after.at < to).length,
      costs: costs?.[n],
    };
  });
}

function deviceOf(
  { telemetry }: EnergyNeeds,
  { flow, range, now }: { readonly flow: SourceFlow; readonly range: Period; readonly now: number },
): DeviceEnergy {
  const { device, role, group, power } = flow.source;
  const [hours] = hoursBySteps(flow.hourStarts, [range], HOUR_MS);
  const latest = power === undefined ? undefined : telemetry.latest(device.id).get(power.id);
  const isFresh = latest !== undefined && now - latest.at <= FRESH_MS && typeof latest.value === "number";
  return {
    device,
    role,
    group,
    forward: sumBySteps(flow.forward, [range])[0],
    backward: sumBySteps(flow.backward, [range])[0],
    basis: flow.basis,
    hoursKnown: hours?.known ?? 0,
    hours: hours?.all ?? 0,
    power: isFresh ? Number(latest.value) * (power?.factor ?? 1) : undefined,
  };
}

/** Watts by the start of the quarter. Negative while the site gives more than it takes. */
function gridPowers(flows: readonly SourceFlow[]): QuarterCells {
  return mergeCells(flows.map(({ meanPowers }) => meanPowers).filter(({ starts }) => starts.length > 0));
}

function highestOf({ starts, amounts }: QuarterCells): SiteEnergy["peakFromGrid"] {
  let [highest, power] = [-1, 0];
  for (let n = 0; n < amounts.length; n++) {
    const amount = amounts[n] ?? 0;
    if (amount <= power) continue;
    highest = n;
    power = amount;
  }
  return highest < 0 ? undefined : { power, at: instant(itemAt(starts, highest)) };
}

/** The load is what is left: it also includes what nobody measures. */
function flowNow(devices: readonly DeviceEnergy[]): SiteEnergy["now"] {
  const sum = (role: EnergyRole) =>
    devices.reduce((total, one) => (one.role === role ? total + (one.power ?? Number.NaN) : total), 0);
  const hasMeter = devices.some(({ role }) => role === "grid");
  const [production, battery, grid] = [sum("production"), sum("battery"), hasMeter ? sum("grid") : Number.NaN];
  const known = (value: number) => (Number.isNaN(value) ? undefined : value);
  return {
    production: known(production),
    battery: known(battery),
    grid: known(grid),
    load: known(Math.max(0, production + grid + battery)),
  };
}
