export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  /** How many match, on all pages. */
  readonly total: number;
}
