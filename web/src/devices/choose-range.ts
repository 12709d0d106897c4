type Range = {
  /** In the order of the list. */
  readonly ids: readonly string[];
  /** Where a range begins; undefined for one alone. */
  readonly from: string | undefined;
  readonly to: string;
  readonly isOn: boolean;
};

/** The choice after one, or all between two, were chosen or left out. */
export function chooseRange(chosen: ReadonlySet<string>, { ids, from, to, isOn }: Range): ReadonlySet<string> {
  const [start, end] = [ids.indexOf(from ?? to), ids.indexOf(to)];
  const meant = start < 0 ? [to] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
  return isOn ? chosen.union(new Set(meant)) : chosen.difference(new Set(meant));
}
