// What flowed through each device of a site, by quarters of an hour.
import type { EnergySource } from "#core/energy/energy-sources.ts";
import { QUARTER_MS } from "#core/energy/energy-steps.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { NO_CELLS, type QuarterCells, wholeMilliwattHours } from "#core/energy/quarter-cells.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { HOUR_MS } from "#core/time/hour.ts";
import type { AppliedCorrections } from "#service/energy/apply-corrections.ts";
import type { SiteSource } from "#service/energy/find-sources.ts";
import { type Cells, createReader } from "#service/energy/read-cells.ts";
import type { Call, Needs } from "#service/ports.ts";

export interface SourceFlow {
  readonly source: SiteSource;
  /** mWh. Produced, used, taken from the grid, or discharged. */
  readonly forward: QuarterCells;
  /** mWh. Given to the grid, or charged. */
  readonly backward: QuarterCells;
  /** Where the figures come from. Undefined when there are none. */
  readonly basis: "counter" | "power" | undefined;
  /** Starts of the hours that have any value. */
  readonly hourStarts: readonly number[];
}

interface Asked {
  readonly source: SiteSource;
  readonly range: Period;
  readonly adjustments: AppliedCorrections["adjustments"];
}

/** One device. A counter counts for the whole range as soon as it has a value in it, because it also counts gaps. */
export async function readFlow(
  needs: Pick<Needs, "telemetry">,
  call: Call,
  { source, range, adjustments }: Asked,
): Promise<SourceFlow> {
  const { role, power, counter, counterBack, device } = source;
  const read = createReader(needs, call, { device, range });
  const quarters = async (attribute: EnergySource["power"], aggregation: ResolvedAggregation): Promise<Cells> =>
    attribute === undefined ? [] : await read(attribute.id, aggregation, { granularityMs: QUARTER_MS });
  const flow = async (way: "forward" | "backward"): Promise<{ cells: QuarterCells; isCounted: boolean }> => {
    const used = way === "forward" ? counter : counterBack;
    const counted = await quarters(used, "delta");
    if (counted.length > 0 && used !== undefined) {
      return { cells: cellsOf(counted, used.factor, adjustments(device.id, used.id)), isCounted: true };
    }
    const flowed = await quarters(power, way === "forward" ? "integral_positive" : "integral_negative");
    return { cells: cellsOf(flowed, power?.factor ?? 1, new Map()), isCounted: false };
  };
  const isBothWays = role === "grid" || role === "battery";
  const [forward, backward, hours] = await Promise.all([
    flow("forward"),
    isBothWays ? flow("backward") : { cells: NO_CELLS, isCounted: false },
    read((power ?? counter ?? counterBack)?.id ?? "", "count", { granularityMs: HOUR_MS }),
  ]);
  return {
    source,
    forward: forward.cells,
    backward: backward.cells,
    basis: forward.isCounted ? "counter" : forward.cells.starts.length === 0 ? undefined : "power",
    hourStarts: hours.map(({ at }) => at),
  };
}

/** Corrections are by the start of their quarter, in the unit of the counter. */
function cellsOf(cells: Cells, factor: number, corrections: ReadonlyMap<number, number>): QuarterCells {
  const starts: number[] = [];
  const amounts: number[] = [];
  for (const { at, value } of cells) {
    const amount = Math.abs(value) + (corrections.get(at) ?? 0);
    starts.push(at);
    // Never below zero but for rounding: a correction takes away no more than its step counted.
    amounts.push(Math.max(0, wholeMilliwattHours(amount * factor)));
  }
  return { starts, amounts };
}
