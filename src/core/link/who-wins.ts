// Who wins when both sides have changed the same thing while they were apart: the gateway, field by field. The people on
// the site see what their change does, and a change that waited in the cloud was made without knowing theirs.
import type { KnownValues } from "./asked-change.ts";

interface Compared {
  /** What the cloud knew when the change was asked for. */
  readonly base: KnownValues;
  /** What the gateway has. */
  readonly current: KnownValues;
  /** What is asked for, of the values that can be compared with it. */
  readonly wanted: KnownValues;
}

/** The fields that the gateway has changed otherwise since. The change is made if there are none. */
export function overruledFields({ base, current, wanted }: Compared): readonly string[] {
  return Object.keys(base).filter((field) => {
    const now = heldIn(current, field);
    if (same(now, heldIn(base, field))) return false;
    return !(Object.hasOwn(wanted, field) && same(now, heldIn(wanted, field)));
  });
}

/** A change that waits behind one that was made is based on its effect, where both are about the same fields. */
export function rebased(base: KnownValues, made: KnownValues, current: KnownValues): KnownValues {
  return Object.fromEntries(
    Object.entries(base).map(([field, value]) => [field, Object.hasOwn(made, field) ? heldIn(current, field) : value]),
  );
}

function heldIn(values: KnownValues, field: string): unknown {
  return Object.hasOwn(values, field) ? (values[field] ?? null) : null;
}

/** Equal JSON. Objects among the values are made by the same code on both sides, so their keys have one order. */
function same(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
