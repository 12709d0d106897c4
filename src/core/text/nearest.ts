/** Words beyond this length are no slip of the finger, and comparing them would cost more than the hint is worth. */
const LONGEST_WORD = 64;
/** Further candidates are not compared, so that the cost stays small however long the list is. */
const MOST_CANDIDATES = 2_000;

/** The candidate that `word` was most likely meant to be, if one is near enough. Ties go to the earlier one. */
export function nearestOf(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const given = fold(word);
  let best: string | undefined;
  let bestDistance = tolerance(given.length) + 1;
  let seen = 0;
  for (const candidate of candidates) {
    seen += 1;
    if (seen > MOST_CANDIDATES) break;
    if (candidate === word || Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = editDistance(given, fold(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
      if (distance === 0) break;
    }
  }
  return best;
}

/** Case and the choice between `-` and `_` are what people get wrong most: they count as no difference. */
function fold(word: string): string {
  return word.toLowerCase().replaceAll("-", "_");
}

/** One slip in a short word, up to three in a long one. */
function tolerance(length: number): number {
  return length <= 2 ? 0 : length <= 5 ? 1 : length <= 9 ? 2 : 3;
}

/** Insertions, deletions, substitutions and swaps of neighbours, counted up to `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      }
      current.push(cost);
      least = Math.min(least, cost);
    }
    if (least >= limit) return limit;
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, b.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
