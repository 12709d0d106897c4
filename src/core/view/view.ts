// What people save on the page: a chart, a dashboard, a filter of the list of devices. A view belongs to a site and either
// to one person or to everybody on the site. A person is a token for now.
import type { Instant } from "#core/time/instant.ts";

export const VIEW_KINDS = ["explore", "dashboard", "device_filter"] as const;
export type ViewKind = (typeof VIEW_KINDS)[number];

/** Of a site. Views of persons do not count, so nobody can use up the room of all. */
export const MAX_SHARED_VIEWS = 200;
/** Of one person on one site. */
export const MAX_OWN_VIEWS = 50;
/** Of a content as JSON, in UTF-8. */
export const MAX_VIEW_BYTES = 64 * 1024;
export const LONGEST_VIEW_NAME = 80;

/** A view without its content, as lists have it. */
export interface ViewHead {
  readonly id: string;
  readonly siteId: string;
  readonly kind: ViewKind;
  readonly name: string;
  /** The token of the person who alone sees it. Undefined: shared with everybody who sees the site. */
  readonly ownerId: string | undefined;
  /**
   * The page of the site (a dashboard) or Explore (a chart) begins with it: for its owner, or for everybody who has none. Each has
   * one of a kind.
   */
  readonly isStart: boolean;
  /** Rises with each change. */
  readonly revision: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

export interface View extends ViewHead {
  /** JSON that fits the schema of its kind. */
  readonly content: string;
}

export interface ViewChange {
  readonly name?: string;
  readonly ownerId?: string | undefined;
  readonly isStart?: boolean;
  readonly content?: string;
}
