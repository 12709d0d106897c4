// Filters of the audit log, and what its entries are about. In the address they have the names of the interface. Pure.
import type { AuditEntry } from "#client/resources.ts";
import { DOORS } from "#web/parts/door-text.ts";
import type { Query } from "#web/router/query.ts";

const PAGE_SIZE = 50;
const OUTCOMES = ["OK", "REFUSED"] as const;

export const AUDIT_FILTERS = [
  "at.gte",
  "at.lt",
  "action.in",
  "site_id.in",
  "device_id.in",
  "outcome.in",
  "actor.in",
  "door.in",
  "order",
] as const;

/** What is not understood is left out, so that a mistyped address shows more, not an error. */
export function readAuditFilter(query: Query) {
  const list = (name: string) => {
    const items = query.list(name);
    return items.length === 0 ? undefined : items;
  };
  const offset = query.number("offset") ?? 0;
  return {
    "at.gte": query.moment("at.gte"),
    "at.lt": query.moment("at.lt"),
    "action.in": list("action.in"),
    "site_id.in": list("site_id.in"),
    "device_id.in": list("device_id.in"),
    "outcome.in": query.choice("outcome.in", OUTCOMES),
    "actor.in": list("actor.in"),
    "door.in": query.choice("door.in", DOORS),
    order: query.text("order") === "AT_ASC" ? ("AT_ASC" as const) : undefined,
    limit: PAGE_SIZE,
    offset: offset > 0 ? Math.floor(offset) : 0,
  };
}

export function countAuditFilters(query: Query): number {
  return AUDIT_FILTERS.filter((name) => query.text(name) !== undefined).length;
}

type TargetKind = "device" | "site" | "blueprint" | "token";
export type Target = { readonly kind: TargetKind; readonly id: string };

const TARGETS: readonly (readonly [key: keyof AuditEntry["target"], kind: TargetKind])[] = [
  ["device_id", "device"],
  ["blueprint_id", "blueprint"],
  ["token_id", "token"],
  ["site_id", "site"],
];

/** What an entry is about, the narrowest first: a device before its site. */
export function targetsOf({ target }: Pick<AuditEntry, "target">): readonly Target[] {
  return TARGETS.flatMap(([key, kind]) => {
    const id = target[key];
    return id === undefined ? [] : [{ kind, id }];
  });
}

/** The name that the entry itself has of what it is about: what is deleted has none elsewhere. */
export function nameInDetails({ details }: Pick<AuditEntry, "details">): string | undefined {
  const name = details["name"];
  return typeof name === "string" && name !== "" ? name : undefined;
}

/** An operation that has no words of its own: `listWebhookDeliveries` is "List webhook deliveries". */
export function spellOperation(action: string): string {
  const words = action.replaceAll(/([a-z0-9])([A-Z])/g, (_, before: string, after: string) => `${before} ${after}`);
  return words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** The beginning of an id, for what has no name. */
export function shortId(id: string): string {
  return id.length > 13 ? `${id.slice(0, 13)}…` : id;
}
