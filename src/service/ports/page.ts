export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many match, on all pages. */
  readonly total: number;
}

/** A page of items that may be large: those that are too much for the memory at once are read as they are taken, once. */
export interface LongPage<Item> extends Page<Item> {
  readonly rest?: AsyncIterable<Item> | undefined;
}
