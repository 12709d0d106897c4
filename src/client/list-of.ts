import { listAll } from "./list-all.ts";
import type { Page, Window } from "./page.ts";

type ItemOf<Answer, Key extends string> = Answer extends { readonly [K in Key]: readonly (infer Item)[] }
  ? Item
  : never;

/** One page, as a call. `all` gives every item, page by page: `for await (const site of client.sites.list.all())`. */
export type List<Query, Answer, Key extends string> = {
  (query?: Query): Promise<Answer>;
  readonly all: (filter?: Omit<Query, keyof Window>) => AsyncGenerator<ItemOf<Answer, Key>>;
};

/** The same for a list that belongs to something, such as the executions of a device. */
export type ListUnder<Query, Answer, Key extends string> = {
  (id: string, query?: Query): Promise<Answer>;
  readonly all: (id: string, filter?: Omit<Query, keyof Window>) => AsyncGenerator<ItemOf<Answer, Key>>;
};

export function listOf<Query extends Window, Key extends string, Answer extends Page<Key, unknown>>(
  key: Key,
  fetchPage: (query?: Query) => Promise<Answer>,
): List<Query, Answer, Key> {
  const all = (filter?: object) => listAll(key, (window) => fetchPage({ ...filter, ...window } as Query));
  return Object.assign(fetchPage, { all }) as List<Query, Answer, Key>;
}

export function listUnder<Query extends Window, Key extends string, Answer extends Page<Key, unknown>>(
  key: Key,
  fetchPage: (id: string, query?: Query) => Promise<Answer>,
): ListUnder<Query, Answer, Key> {
  const all = (id: string, filter?: object) =>
    listAll(key, (window) => fetchPage(id, { ...filter, ...window } as Query));
  return Object.assign(fetchPage, { all }) as ListUnder<Query, Answer, Key>;
}
