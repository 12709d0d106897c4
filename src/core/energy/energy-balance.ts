// The energies of a site out of those of its devices, in any unit. Nothing is made up: what cannot be known is undefined.
import type { EnergyGroup, EnergyRole } from "./energy-sources.ts";

/** What flowed through one device. Undefined where nothing is known. */
export interface DeviceFlow {
  readonly role: EnergyRole;
  readonly group: EnergyGroup | undefined;
  /** Produced, used, taken from the grid, or discharged. */
  readonly forward: number | undefined;
  /** Given to the grid, or charged. */
  readonly backward: number | undefined;
}

export interface EnergyBalance {
  readonly produced: number | undefined;
  readonly used: number | undefined;
  /** Of what was produced, what stayed on the site: used at once or later out of a battery. */
  readonly selfUsed: number | undefined;
  readonly fromGrid: number | undefined;
  readonly toGrid: number | undefined;
  readonly charged: number | undefined;
  readonly discharged: number | undefined;
  /** The part of the production that stayed, and the part of the use that did not come from the grid: 0 to 1. */
  readonly selfConsumption: number | undefined;
  readonly selfSufficiency: number | undefined;
}

/** Producers and loads by kind, and what nobody measures. */
export interface EnergyGroups extends Readonly<Record<EnergyGroup, number | undefined>> {
  /** What was used, less all measured loads. */
  readonly rest: number | undefined;
}

export function groupsOf(flows: readonly DeviceFlow[], { used }: Pick<EnergyBalance, "used">): EnergyGroups {
  const of = (group: EnergyGroup) => sumWhere(flows, (flow) => flow.group === group, "forward");
  const rest = combine([used], [sumOf(flows, "load", "forward")]);
  return {
    solar: of("solar"),
    production: of("production"),
    car: of("car"),
    hydrogen: of("hydrogen"),
    load: of("load"),
    rest: rest === undefined ? undefined : Math.max(0, rest),
  };
}

function sumOf(flows: readonly DeviceFlow[], role: EnergyRole, way: "forward" | "backward"): number | undefined {
  return sumWhere(flows, (flow) => flow.role === role, way);
}

/** A site without such a device has none of its energy. A device that said nothing makes the sum unknown. */
function sumWhere(
  flows: readonly DeviceFlow[],
  isMeant: (flow: DeviceFlow) => boolean,
  way: "forward" | "backward",
): number | undefined {
  let sum = 0;
  for (const flow of flows) {
    if (!isMeant(flow)) continue;
    const value = flow[way];
    if (value === undefined) return undefined;
    sum += value;
  }
  return sum;
}

export function balanceOf(flows: readonly DeviceFlow[]): EnergyBalance {
  const produced = sumOf(flows, "production", "forward");
  const charged = sumOf(flows, "battery", "backward");
  const discharged = sumOf(flows, "battery", "forward");
  // Without a meter nobody knows what the grid gave.
  const hasMeter = flows.some(({ role }) => role === "grid");
  const fromGrid = hasMeter ? sumOf(flows, "grid", "forward") : undefined;
  const toGrid = hasMeter ? sumOf(flows, "grid", "backward") : undefined;
  const used = combine([produced, fromGrid, discharged], [toGrid, charged]);
  const selfUsed = toGrid === undefined || produced === undefined ? undefined : Math.max(0, produced - toGrid);
  return {
    produced,
    used: used === undefined ? undefined : Math.max(0, used),
    selfUsed,
    fromGrid,
    toGrid,
    charged,
    discharged,
    selfConsumption: shareOf(selfUsed, produced),
    selfSufficiency: used === undefined || fromGrid === undefined ? undefined : shareOf(used - fromGrid, used),
  };
}

function combine(gains: readonly (number | undefined)[], losses: readonly (number | undefined)[]): number | undefined {
  let sum = 0;
  for (const gain of gains) sum += gain ?? Number.NaN;
  for (const loss of losses) sum -= loss ?? Number.NaN;
  return Number.isNaN(sum) ? undefined : sum;
}

function shareOf(part: number | undefined, whole: number | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0) return undefined;
  return Math.min(1, Math.max(0, part / whole));
}
