// Where a curve bends: the first size at which a unit costs clearly more than at any smaller size.

export interface Growth {
  /** `size`: the figure may grow in proportion to the size. `nothing`: it should stay what it is. */
  readonly with: "size" | "nothing";
  /** Differences of the figure below this are noise. */
  readonly noise: number;
}

export interface Bend {
  /** At the end against the beginning, of a unit of the size or of the figure that should stay. */
  readonly ratio: number;
  /** `linear`, `flat`, `less than linear`, or `bends at` a size. */
  readonly shape: string;
}

/** So many times as much is a bend. */
const CLEARLY_MORE = 1.5;

export function findBend(points: readonly { readonly size: number; readonly value: number }[], growth: Growth): Bend {
  const isByUnit = growth.with === "size";
  const units = (size: number) => (isByUnit ? size : 1);
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined) return { ratio: Number.NaN, shape: "not measured" };
  const ratio = Math.round((last.value / units(last.size) / (first.value / units(first.size))) * 100) / 100;
  let least = Number.POSITIVE_INFINITY;
  for (const { size, value } of points) {
    if ((value - growth.noise) / units(size) > CLEARLY_MORE * least) return { ratio, shape: `bends at ${size}` };
    least = Math.min(least, (value + growth.noise) / units(size));
  }
  if (!isByUnit) return { ratio, shape: "flat" };
  return { ratio, shape: ratio < 1 / CLEARLY_MORE ? "less than linear" : "linear" };
}
