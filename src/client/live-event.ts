import type { EventData, EventKind } from "./resources.ts";

export type LiveEvent =
  /** Connected, for the first time or again. */
  | { readonly kind: "open" }
  /** The connection is lost; another one is tried. */
  | { readonly kind: "lost" }
  /** Without kinds: events of any kind may be missing. */
  | ({ readonly kind: "gap" } & Partial<EventData["gap"]>)
  | { readonly [Kind in EventKind]: { readonly kind: Kind } & EventData[Kind] }[EventKind];
