import type { Role } from "./flow-model.ts";
import type { NumberModel } from "./measured.ts";
import type { Quantity } from "./quantity.ts";

/** What is known of an attribute that is a number, so that others can be derived from it. */
export interface NumberFacts {
  readonly id: string;
  /** Of its id and of the profile fields that it implements. */
  readonly words: readonly string[];
  /** Of its id alone. */
  readonly ownWords: readonly string[];
  readonly quantity: Quantity;
  readonly kind: NumberModel["kind"];
  readonly role: Role;
  /** From the declared unit to that of the quantity. */
  read(value: unknown): number | undefined;
  /** And back, rounded as the attribute is. */
  write(value: number): number;
}
