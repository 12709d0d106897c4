import { slugOf } from "#core/device/slug.ts";

const FEW = 16;

/**
 * A slug of the name that is not taken: the first one while there are few, later the one after a taken one. Asking for each of
 * thousands that share a name would hold up all other writes, so beyond the few the number of questions grows by the logarithm.
 */
export function freeSlug(name: string, isTaken: (slug: string) => boolean): string {
  for (let ordinal = 1; ordinal <= FEW; ordinal++) {
    const slug = slugOf(name, ordinal);
    if (!isTaken(slug)) return slug;
  }
  let taken = FEW;
  let free = FEW * 2;
  while (isTaken(slugOf(name, free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isTaken(slugOf(name, middle))) taken = middle;
    else free = middle;
  }
  return slugOf(name, free);
}
