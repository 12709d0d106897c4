import { slugOf } from "#core/device/slug.ts";

const FEW = 16;

/**
 * A slug made from the name that is not taken. While few devices share the name it is the first free one; later it is
 * one after a taken one. Trying thousands of slugs one by one would hold up all other writes, so beyond a few the
 * number of queries grows with the logarithm.
 */
export async function freeSlug(name: string, isTaken: (slug: string) => Promise<boolean>): Promise<string> {
  for (let ordinal = 1; ordinal <= FEW; ordinal++) {
    const slug = slugOf(name, ordinal);
    if (!(await isTaken(slug))) return slug;
  }
  let taken = FEW;
  let free = FEW * 2;
  while (await isTaken(slugOf(name, free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(slugOf(name, middle))) taken = middle;
    else free = middle;
  }
  return slugOf(name, free);
}
