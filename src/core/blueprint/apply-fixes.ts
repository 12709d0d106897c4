import type { Fix, Issue, TextEdit } from "./issue.ts";

export interface Fixed {
  readonly text: string;
  /** How many fixes went in. */
  readonly count: number;
}

/** Later fixes may need earlier ones; no manifest needs more rounds than this. */
const MOST_ROUNDS = 10;

/**
 * Applies the fixes of a document until none is left. A fix that overlaps another one of the same round waits for the
 * next round, where `check` offers it again if it is still needed.
 */
export function applyFixes(text: string, check: (text: string) => readonly Pick<Issue, "fix">[]): Fixed {
  let current = text;
  let count = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const fixes = check(current).flatMap(({ fix }) => (fix === undefined ? [] : [fix]));
    const { text: next, count: applied } = applyRound(current, fixes);
    if (applied === 0 || next === current) break;
    current = next;
    count += applied;
  }
  return { text: current, count };
}

function applyRound(text: string, fixes: readonly Fix[]): Fixed {
  const taken: TextEdit[] = [];
  let count = 0;
  for (const { edits } of fixes) {
    if (edits.length === 0 || edits.some((edit) => taken.some((other) => touches(edit, other)))) continue;
    taken.push(...edits);
    count += 1;
  }
  let result = text;
  // From the end, so that offsets before stay right.
  for (const { start, end, text: inserted } of taken.toSorted((one, other) => other.start - one.start)) {
    result = result.slice(0, start) + inserted + result.slice(end);
  }
  return { text: result, count };
}

/** Two insertions at one place touch too: their order would be a guess. */
function touches(one: TextEdit, other: TextEdit): boolean {
  return one.start <= other.end && other.start <= one.end;
}
