import type { AuditEntry } from "#core/access/audit-entry.ts";
import type { Instant } from "#core/time/instant.ts";
import type { View, ViewChange, ViewHead, ViewKind } from "#core/view/view.ts";
import type { Page, PageRequest } from "./page.ts";

interface ViewFilter {
  readonly siteId: string;
  /** Shared views and those of this person. */
  readonly ownerId: string;
  readonly kinds: readonly ViewKind[] | undefined;
}

export interface ViewUpdate {
  readonly siteId: string;
  readonly id: string;
  /** What the caller has seen. Refused with `conflict` if the view has another one. */
  readonly revision: number;
  readonly change: ViewChange;
  readonly at: Instant;
}

/** Saved views. They go with their site, and those of a person with the person's token. */
export interface ViewStore {
  /** By name. */
  list(filter: ViewFilter, page: PageRequest): Promise<Page<ViewHead>>;
  find(siteId: string, id: string): Promise<View | undefined>;
  /** Refused with `conflict` if there are too many; with `not_found` if the site or the owner's token is gone. */
  insert(view: View, trail: AuditEntry): Promise<void>;
  /** Undefined when there is none. A view that becomes the start takes the place of the one before. */
  update(update: ViewUpdate, trail: AuditEntry): Promise<View | undefined>;
  /** False when there is none. */
  delete(siteId: string, id: string, trail: AuditEntry): Promise<boolean>;
}
