// What is known of a number of a device, and what a model of it can provide.
import type { Category } from "#core/blueprint/vocabulary.ts";
import type { Moment } from "./day-shape.ts";
import type { Quantity } from "./quantity.ts";

export interface Measured {
  readonly words: readonly string[];
  readonly quantity: Quantity;
  readonly category: Category | undefined;
  /** Of this attribute. */
  readonly seed: number;
  /** Shared by all attributes of the device, so that its powers have one weather. */
  readonly deviceSeed: number;
}

export interface NumberModel {
  /** In the unit of the quantity. */
  readonly at: (now: Moment) => number;
  /** What is large for it: shows how many digits make sense. */
  readonly scale: number;
  /** What becomes of it while the device is stopped: a flow is zero, a counter stands still, other things go on. */
  readonly kind: "flow" | "counter" | "level" | "setting";
}
