import { listAll } from "#client/list-all.ts";
import type { Page, Window } from "#client/page.ts";

type Fetched<Key extends string, Item> = {
  readonly answer: { readonly [K in Key | "total_count"]: unknown };
  readonly rows: readonly Item[];
};

/** One page if a limit or offset is given, otherwise all pages together; both in the shape of the interface. */
export async function fetchList<Key extends string, Item>(
  key: Key,
  fetchPage: (window: Window) => Promise<Page<Key, Item>>,
  { limit, offset }: Window,
): Promise<Fetched<Key, Item>> {
  if (limit !== undefined || offset !== undefined) {
    const page = await fetchPage({ limit, offset });
    return { answer: page, rows: page[key] };
  }
  const rows: Item[] = [];
  for await (const item of listAll(key, fetchPage)) rows.push(item);
  return { answer: { [key]: rows, total_count: rows.length } as Fetched<Key, Item>["answer"], rows };
}
