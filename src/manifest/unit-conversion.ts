import type { Conversion } from "#core/control/control.ts";
import { parseUnit } from "#manifest/units.ts";

/** Undefined when the units do not fit. A unit that is not said is the other one. */
export function conversionOf(from: string | undefined, to: string | undefined): Conversion | undefined {
  if (from === to || from === undefined || to === undefined) return { factor: 1, offset: 0 };
  const [a, b] = [parseUnit(from), parseUnit(to)];
  if (a === undefined || b === undefined || a.dimension !== b.dimension) return undefined;
  return { factor: a.factor / b.factor, offset: (a.offset - b.offset) / b.factor };
}
