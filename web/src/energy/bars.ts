// Steps of a period as stacked bars, and figures beside those of the period before. Pure.
import type { EnergyGroups, EnergyStep } from "#client/resources.ts";

/** Above the axis, from it outwards: where energy came from. */
const SOURCES = ["solar", "production", "discharged", "from_grid"] as const;
/** Below the axis: where it went. */
const USES = ["rest", "load", "hydrogen", "car", "charged", "to_grid"] as const;
const PARTS = [...SOURCES, ...USES] as const;
export type Part = (typeof PARTS)[number];

export const COLORS: Readonly<Record<Part, string>> = {
  solar: "var(--solar)",
  production: "var(--generator)",
  discharged: "var(--battery)",
  from_grid: "var(--grid)",
  rest: "var(--load)",
  load: "var(--load)",
  hydrogen: "var(--hydrogen)",
  car: "var(--vehicle)",
  charged: "var(--battery)",
  to_grid: "var(--grid)",
};
/** What shares a colour with its neighbour is drawn paler. */
export const FAINT: ReadonlySet<Part> = new Set<Part>(["rest"]);

/** kWh; below the axis negative. */
type Segment = { readonly part: Part; readonly from: number; readonly to: number };
export type Bar = {
  readonly step: EnergyStep;
  readonly segments: readonly Segment[];
  readonly state: "whole" | "running" | "incomplete";
};

export function barOf(step: EnergyStep, hidden: ReadonlySet<Part>): Bar {
  const stack = (parts: readonly Part[], sign: 1 | -1): readonly Segment[] => {
    let base = 0;
    return parts.flatMap((part) => {
      // Counters of different devices are not read at the same moment, so a difference may be slightly negative.
      const energy = hidden.has(part) ? 0 : Math.max(0, step[part] ?? 0) / 1000;
      if (energy === 0) return [];
      const from = base;
      base += sign * energy;
      return [{ part, from, to: base }];
    });
  };
  const isMissing = step.hours_known < step.hours;
  return {
    step,
    segments: [...stack(SOURCES, 1), ...stack(USES, -1)],
    state: step.is_complete ? "whole" : isMissing ? "incomplete" : "running",
  };
}

/** The parts that this site has: something is known of them. */
export function partsOf(groups: EnergyGroups): readonly Part[] {
  return PARTS.filter((part) => groups[part] !== null && groups[part] !== 0);
}

export type Comparison = { readonly difference: number; readonly direction: "more" | "less" | "same" };

/** Undefined where one of both is not known. */
export function compare(value: number | null | undefined, before: number | null | undefined): Comparison | undefined {
  if (value == null || before == null) return undefined;
  const difference = value - before;
  return { difference, direction: difference > 0 ? "more" : difference < 0 ? "less" : "same" };
}
