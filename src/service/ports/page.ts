export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many items match on all pages together. */
  readonly total: number;
}

/**
 * A page of items that may be large. Items that do not fit the memory at once are read when they are taken, and only
 * once.
 */
export interface LongPage<Item> extends Page<Item> {
  readonly rest?: AsyncIterable<Item> | undefined;
}
