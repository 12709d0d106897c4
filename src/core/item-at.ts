/**
 * The item at a place that exists. A wrong place is a bug, and is not read as 0. Not for hot loops, where the check
 * costs too much.
 */
export function itemAt<Item>(list: ArrayLike<Item>, at: number): Item {
  const item = list[at];
  if (item === undefined) throw new RangeError(`there is no item ${at} in a list of ${list.length}`);
  return item;
}
