import type { Position } from "#core/blueprint/issue.ts";

/** `line 12: the sun sets`. `what` stands for a step without a name. */
export function describeStep(
  { name, place }: { readonly name?: string | undefined; readonly place: Position },
  what = "",
): string {
  const text = name ?? what;
  return place.line === 0 ? text : `line ${place.line}${text === "" ? "" : `: ${text}`}`;
}

export const seconds = (ms: number): string => `${Number((ms / 1000).toFixed(3))} s`;

/** Of a step whose `at` lies in the past. */
export const tooLate = (at: number, begins: number): string =>
  `at ${seconds(at)} has passed already: the step begins at ${seconds(begins)}`;
