/** For an index that is in range by construction. Not for hot loops, where the check costs too much. */
export function itemAt<Item>(items: ArrayLike<Item>, index: number): Item {
  const item = items[index];
  if (item === undefined) throw new RangeError(`index ${index} is outside the range of ${items.length} items`);
  return item;
}
