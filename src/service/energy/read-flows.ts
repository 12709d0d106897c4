// What flowed through each device of a site, by quarters of an hour.
// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.
import type { EnergySource } from "#core/energy/energy-sources.ts";
import type { Period } from "#core/energy/parse-period.ts";
import { NO_CELLS, type QuarterCells, wholeMilliwattHours } from "#core/energy/quarter-cells.ts";
import { itemAt } from "#core/item-at.ts";
import type { ResolvedAggregation } from "#core/telemetry/aggregation.ts";
import { HOUR_MS, QUARTER_MS } from "#core/time/hour.ts";
import type { AppliedCorrections } from "#service/energy/apply-corrections.ts";
import type { SiteSource } from "#service/energy/find-sources.ts";
import { type Column, type ColumnCells, createColumnReader, NOTHING } from "#service/energy/read-cells.ts";
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
  readonly hourStarts: Float64Array;
  /** What its counters rose by in each quarter of an hour, in their own units, by attribute. */
  readonly rises: ReadonlyMap<string, ColumnCells>;
  /** Of meters of the grid: the mean power of each quarter of an hour, W. */
  readonly meanPowers: QuarterCells;
}

interface Asked {
  readonly source: SiteSource;
  readonly range: Period;
  readonly adjustments: AppliedCorrections["adjustments"];
}

type Way = "forward" | "backward";
const INTEGRALS = { forward: "integral_positive", backward: "integral_negative" } as const;
/** Of a meter before a producer or a battery, which measures the other direction: its factor is negative. */
const TURNED = { forward: "integral_negative", backward: "integral_positive" } as const;

/** One device. A counter counts for the whole range as soon as it has a value in it, because it also counts gaps. */
export async function readFlow(
  needs: Pick<Needs, "telemetry">,
  call: Call,
  { source, range, adjustments }: Asked,
): Promise<SourceFlow> {
  const { role, power, counter, counterBack, device } = source;
  const read = createColumnReader(needs, call, { device, range });
  const integrals = (power?.factor ?? 1) < 0 ? TURNED : INTEGRALS;
  const factor = Math.abs(power?.factor ?? 1);
  const ways: readonly Way[] = role === "grid" || role === "battery" ? ["forward", "backward"] : ["forward"];
  const counters = { forward: counter, backward: counterBack };
  const quarters = (attribute: EnergySource["power"], aggregation: ResolvedAggregation): readonly Column[] =>
    attribute === undefined ? [] : [{ attribute: attribute.id, aggregation, granularityMs: QUARTER_MS }];
  const asked = {
    forward: counter === undefined ? quarters(power, integrals.forward) : quarters(counter, "delta"),
    backward: counterBack === undefined ? quarters(power, integrals.backward) : quarters(counterBack, "delta"),
  };
  const [any] = [power, counter, counterBack].flatMap((one) => one ?? []);
  const hourly = any && { attribute: any.id, aggregation: "count" as const, granularityMs: HOUR_MS };
  const means = role === "grid" ? quarters(power, "avg") : [];
  const columns = [...ways.flatMap((way) => asked[way]), ...(hourly === undefined ? [] : [hourly]), ...means];
  const cells = new Map((await read(columns)).map((own, n) => [itemAt(columns, n), own]));
  const cellsAt = ([column]: readonly Column[]): ColumnCells => (column && cells.get(column)) ?? NOTHING;
  const flow = async (way: Way): Promise<{ readonly cells: QuarterCells; readonly isCounted: boolean }> => {
    const used = counters[way];
    const found = cellsAt(asked[way]);
    if (used === undefined) return { cells: cellsOf(found, factor, new Map()), isCounted: false };
    if (found.times.length > 0) {
      return { cells: cellsOf(found, used.factor, adjustments(device.id, used.id)), isCounted: true };
    }
    // The counter says nothing in the whole range.
    const [flowed = NOTHING] = await read(quarters(power, integrals[way]));
    return { cells: cellsOf(flowed, factor, new Map()), isCounted: false };
  };
  const forward = await flow("forward");
  const backward = ways.includes("backward") ? await flow("backward") : { cells: NO_CELLS };
  return {
    source,
    forward: forward.cells,
    backward: backward.cells,
    basis: forward.isCounted ? "counter" : forward.cells.starts.length === 0 ? undefined : "power",
    hourStarts: cellsAt(hourly === undefined ? [] : [hourly]).times,
    rises: new Map(ways.flatMap((way) => (counters[way] ? [[counters[way].id, cellsAt(asked[way])] as const] : []))),
    meanPowers: scaled(cellsAt(means), power?.factor ?? 1),
  };
}

function scaled({ times, values }: ColumnCells, factor: number): QuarterCells {
  return { starts: times, amounts: factor === 1 ? values : values.map((value) => value * factor) };
}

/** Corrections are by the start of their quarter, in the unit of the counter. */
function cellsOf(
  { times, values }: ColumnCells,
  factor: number,
  corrections: ReadonlyMap<number, number>,
): QuarterCells {
  const amounts = new Float64Array(values.length);
  for (let n = 0; n < values.length; n++) {
    const correction = corrections.size === 0 ? 0 : (corrections.get(times[n] ?? 0) ?? 0);
    // Never below zero but for rounding: a correction takes away no more than its step counted.
    amounts[n] = Math.max(0, wholeMilliwattHours((Math.abs(values[n] ?? 0) + correction) * factor));
  }
  return { starts: times, amounts };
}
