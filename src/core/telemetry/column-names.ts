// Short names of columns, for forms whose readers address columns by name.

/** What distinguishes a column from others, from the most important to the least. */
export interface NamedColumn {
  readonly device: string;
  readonly attribute: string;
  readonly aggregation: string;
  readonly granularity: string;
}

/**
 * `device:attribute`. Columns of the same attribute also have their aggregation and, where that is the same, their
 * granularity. Columns that are alike in everything are counted.
 */
export function columnNames(columns: readonly NamedColumn[]): readonly string[] {
  const short = columns.map(({ device, attribute }) => `${device}:${attribute}`);
  const withAggregation = distinguish(short, (i) => columns[i]?.aggregation ?? "");
  const withGranularity = distinguish(withAggregation, (i) => columns[i]?.granularity ?? "");
  const seen = new Map<string, number>();
  return withGranularity.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name}:${count}`;
  });
}

function distinguish(names: readonly string[], more: (index: number) => string): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((name, i) => ((counts.get(name) ?? 0) > 1 ? `${name}:${more(i)}` : name));
}
