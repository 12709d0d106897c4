// The energies of a site in a period, and the power that flows now.

import type { Device } from "#core/device/device.ts";
import { balanceOf, type DeviceFlow, type EnergyBalance } from "#core/energy/energy-balance.ts";
import type { EnergyRole, EnergySource } from "#core/energy/energy-sources.ts";
import type { Period } from "#core/energy/parse-period.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { type AppliedCorrections, applyCorrections } from "#service/energy/apply-corrections.ts";
import { type DoubtfulSteps, findDoubtful } from "#service/energy/find-doubtful.ts";
import { findSources, type SiteSource } from "#service/energy/find-sources.ts";
import { type Cells, createReader } from "#service/energy/read-cells.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import type { NowNeeds } from "#service/telemetry/read-now.ts";

export type EnergyNeeds = NowNeeds & Pick<Needs, "sites" | "corrections" | "now">;

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

export interface SiteEnergy {
  readonly timezone: string;
  readonly from: Instant;
  /** The end of what has passed of the period. */
  readonly to: Instant;
  readonly total: EnergyBalance;
  readonly devices: readonly DeviceEnergy[];
  /** The highest mean of a quarter of an hour. */
  readonly peakFromGrid: { readonly power: number; readonly at: Instant } | undefined;
  /** Watts. A battery is positive while it discharges, the grid while the site takes from it. */
  readonly now: Readonly<Record<EnergyRole, number | undefined>>;
  /** Steps of the counters that a person should look at. */
  readonly doubtful: DoubtfulSteps;
  /** What people said about steps of the period, in the order of devices and times. */
  readonly corrections: AppliedCorrections["corrections"];
}

const QUARTER_MS = 900_000;
/** A power that is older says nothing about now. */
const FRESH_MS = 5 * 60_000;

export async function readSiteEnergy(
  needs: EnergyNeeds,
  call: Call,
  { siteId, period }: { readonly siteId: string; readonly period: (timezone: string, now: number) => Period },
): Promise<SiteEnergy> {
  const { timezone } = await visibleSite(needs, call, siteId);
  const now = needs.now();
  const { from, to: end } = period(timezone, now);
  // The future has no values, and is not missing any.
  const range = { from, to: instant(Math.max(from + 1, Math.min(end, now))) };
  const sources = await findSources(needs, call, siteId);
  const devices: DeviceEnergy[] = [];
  const { corrections, adjustment, isCorrected } = await applyCorrections(needs, call, { sources, range });
  for (const source of sources) devices.push(await readDevice(needs, call, { source, range, now, adjustment }));
  return {
    timezone,
    ...range,
    total: balanceOf(devices),
    devices,
    peakFromGrid: await peakOf(needs, call, { sources, range }),
    now: flowNow(devices),
    doubtful: await findDoubtful(needs, call, { sources, range, isCorrected }),
    corrections,
  };
}

interface Asked {
  readonly source: SiteSource;
  readonly range: Period;
  readonly now: number;
  readonly adjustment: AppliedCorrections["adjustment"];
}

async function readDevice(
  needs: EnergyNeeds,
  call: Call,
  { source, range, now, adjustment }: Asked,
): Promise<DeviceEnergy> {
  const { role, power, counter, counterBack, device } = source;
  const read = createReader(needs, call, { device, range });
  const whole = { granularityMs: Math.ceil(range.to - range.from) };
  const sum = async (attribute: EnergySource["power"], aggregation: ResolvedAggregation) =>
    attribute === undefined ? undefined : scaled(await read(attribute.id, aggregation, whole), attribute.factor);
  const isBothWays = role === "grid" || role === "battery";
  const flow = async (way: "forward" | "backward"): Promise<{ amount: number | undefined; isCounted: boolean }> => {
    const used = way === "forward" ? counter : counterBack;
    const counted = await sum(used, "delta");
    if (counted !== undefined && used !== undefined) {
      // Never below zero but for rounding.
      return { amount: Math.max(0, counted + adjustment(device.id, used.id) * used.factor), isCounted: true };
    }
    const flowed = await sum(power, way === "forward" ? "integral_positive" : "integral_negative");
    return { amount: flowed === undefined ? undefined : Math.abs(flowed), isCounted: false };
  };
  const forward = await flow("forward");
  const backward = isBothWays ? await flow("backward") : { amount: undefined, isCounted: false };
  const hours = await read((power ?? counter ?? counterBack)?.id ?? "", "count", { granularityMs: HOUR_MS });
  const latest = power === undefined ? undefined : needs.telemetry.latest(device.id).get(power.id);
  const isFresh = latest !== undefined && now - latest.at <= FRESH_MS && typeof latest.value === "number";
  return {
    device,
    role,
    forward: forward.amount,
    backward: backward.amount,
    basis: forward.isCounted ? "counter" : forward.amount === undefined ? undefined : "power",
    hoursKnown: hours.length,
    hours: Math.ceil(range.to / HOUR_MS) - Math.floor(range.from / HOUR_MS),
    power: isFresh ? Number(latest.value) * (power?.factor ?? 1) : undefined,
  };
}

/** Undefined when there is nothing to sum. */
function scaled(cells: Cells, factor: number): number | undefined {
  return cells.length === 0 ? undefined : cells.reduce((sum, { value }) => sum + value, 0) * factor;
}

async function peakOf(
  needs: EnergyNeeds,
  call: Call,
  { sources, range }: { readonly sources: readonly SiteSource[]; readonly range: Period },
): Promise<SiteEnergy["peakFromGrid"]> {
  const sums = new Map<number, number>();
  for (const { role, power, device } of sources) {
    if (role !== "grid" || power === undefined) continue;
    const read = createReader(needs, call, { device, range });
    for (const { at, value } of await read(power.id, "avg", { granularityMs: QUARTER_MS })) {
      sums.set(at, (sums.get(at) ?? 0) + value * power.factor);
    }
  }
  let peak: SiteEnergy["peakFromGrid"];
  for (const [at, power] of sums) if (power > (peak?.power ?? 0)) peak = { power, at: instant(at) };
  return peak;
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
