import type { Page, PageRequest } from "#service/ports/page.ts";

const PAGE = 1_000;

/** Every item of a list, a page at a time. */
export async function* allPages<Item>(list: (page: PageRequest) => Promise<Page<Item>>): AsyncIterable<Item> {
  for (let offset = 0; ; offset += PAGE) {
    const { items, total } = await list({ limit: PAGE, offset });
    yield* items;
    if (offset + PAGE >= total) return;
  }
}

const EVERYTHING = { limit: 1_000_000, offset: 0 };

/** Every item at once. Pages leave one out when an item of an earlier page is deleted meanwhile. */
export async function allAtOnce<Item>(list: (page: PageRequest) => Promise<Page<Item>>): Promise<readonly Item[]> {
  return (await list(EVERYTHING)).items;
}
