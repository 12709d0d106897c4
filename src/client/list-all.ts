import type { Page, Window } from "./page.ts";

const PAGE_SIZE = 500;

/**
 * Every item of a list, page by page: `for await (const site of listAll("sites", client.sites.list))`.
 * Ends at the first empty page, so it also ends when the list shrinks meanwhile.
 */
export async function* listAll<Key extends string, Item>(
  key: Key,
  fetchPage: (window: Window) => Promise<Page<Key, Item>>,
): AsyncGenerator<Item> {
  for (let offset = 0; ; ) {
    const page = await fetchPage({ limit: PAGE_SIZE, offset });
    const items: readonly Item[] = page[key];
    yield* items;
    offset += items.length;
    if (items.length === 0 || offset >= page.total_count) return;
  }
}
