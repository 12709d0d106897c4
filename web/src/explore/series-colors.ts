// Which colour a series has: a power of the site the colour that the flow picture gives it, others one of the palette.
import { type Kind, powerReadings } from "#web/site/power-readings.ts";
import type { SeriesInfo } from "./series-info.ts";

const OF_KIND: Partial<Readonly<Record<Kind, string>>> = {
  solar: "--solar",
  grid: "--grid",
  battery: "--battery",
  load: "--load",
  hydrogen: "--hydrogen",
};
/** Colours of the palette that look like one of the above. */
const ALIKE: Readonly<Record<string, string>> = {
  "--solar": "--series-7",
  "--grid": "--series-3",
  "--battery": "--series-1",
  "--load": "--series-5",
  "--hydrogen": "--series-6",
};
const PALETTE = Array.from({ length: 10 }, (_, index) => `--series-${index + 1}`);

type Colored = Pick<SeriesInfo, "device" | "attribute">;

/** Variables of the design. Of two series of one kind, the second takes a colour of the palette, so both can be told apart. */
export function seriesColors(infos: readonly Colored[]): readonly string[] {
  const taken = new Set<string>();
  const known = infos.map((info) => {
    const color = energyColor(info);
    if (color === undefined || taken.has(color)) return undefined;
    taken.add(color);
    return color;
  });
  const avoided = new Set([...taken].map((color) => ALIKE[color]));
  const free = PALETTE.filter((color) => !avoided.has(color));
  let next = 0;
  return known.map((color) => {
    if (color !== undefined) return color;
    const own = free[next % free.length] ?? "--series-1";
    next += 1;
    return own;
  });
}

function energyColor({ device, attribute }: Colored): string | undefined {
  if (device === undefined || attribute === undefined) return undefined;
  const reading = powerReadings(device).find(
    ({ attributes: [first, second] }) => second === undefined && first.id === attribute.id,
  );
  return reading && OF_KIND[reading.kind];
}
