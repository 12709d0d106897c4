/** One page of a list: the items under their plural, and how many there are in all. */
export type Page<Key extends string, Item> = { readonly [K in Key]: readonly Item[] } & {
  readonly total_count: number;
};

/** Which part of a list; what is absent is the server's choice. */
export type Window = { readonly limit?: number | undefined; readonly offset?: number | undefined };
