// What Explore puts on a dashboard.
import type { Pin } from "#web/dashboard/arrange.ts";
import type { SeriesSpec } from "./explore-state.ts";
import { isMoving } from "./range.ts";
import type { SeriesInfo } from "./series-info.ts";

/** As the server allows. */
const MOST_OF_TILE = 10;
const nameOf = ({ device, attribute }: SeriesSpec) => ({ device, attribute });

/** The series that are seen. A range of the past would never change, so only one that moves on is kept. */
export function chartPin(series: readonly SeriesSpec[], range: string): Pin {
  const seen = series.filter(({ isHidden }) => !isHidden).slice(0, MOST_OF_TILE);
  const shown = seen.length > 0 ? seen : series.slice(0, MOST_OF_TILE);
  return { kind: "curve", series: shown.map(nameOf), ...(isMoving(range) && { range }) };
}

/** An amount as its value, states as a strip. */
export function seriesPin({ spec, kind }: Pick<SeriesInfo, "spec" | "kind">): Pin {
  return { kind: kind === "state" ? "states" : "value", series: [nameOf(spec)] };
}
