/** Kinds of records of which a cloud has copies, in an order in which each refers only to earlier ones. */
export const LINKED_KINDS = ["site", "blueprint", "device", "properties"] as const;
export type LinkedKind = (typeof LINKED_KINDS)[number];

/** Names a record whose current state has to be told. */
export interface LinkedKey {
  readonly kind: LinkedKind;
  /** The id of the site, blueprint or device. */
  readonly key: string;
}
