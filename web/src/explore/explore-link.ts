import { href } from "#web/router/paths.ts";
import { renderState } from "./explore-state.ts";
import { renderRange } from "./range.ts";

type Attribute = { readonly device: string; readonly attribute: string };

/** The address of Explore with some attributes, over the last 24 hours or a given range. */
export function exploreLink(
  site: string,
  attributes: readonly Attribute[],
  range?: { readonly from: number; readonly to: number },
): string {
  const series = attributes.map(
    (one) => ({ ...one, aggregation: "auto", fill: undefined, granularity: undefined, isHidden: false }) as const,
  );
  return href("explore", { site }, renderState({ series, ...(range && { range: renderRange(range) }) }));
}
