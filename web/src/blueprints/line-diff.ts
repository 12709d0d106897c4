// Which lines of a text are new and which are gone. Pure.

export type DiffLine = {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  /** Its number in the old and in the new text. */
  readonly old: number | undefined;
  readonly next: number | undefined;
};

/** A stretch of lines that did not change and are not shown. */
export type Hunk = { readonly skipped: number; readonly lines: readonly DiffLine[] };

/** Compared cells at most: beyond it the middle counts as replaced as a whole. */
const MOST_CELLS = 4_000_000;

export function diffLines(oldText: string, nextText: string): readonly DiffLine[] {
  const [old, next] = [oldText.split("\n"), nextText.split("\n")];
  let start = 0;
  while (start < old.length && start < next.length && old[start] === next[start]) start += 1;
  let end = 0;
  const room = Math.min(old.length, next.length) - start;
  while (end < room && old[old.length - 1 - end] === next[next.length - 1 - end]) end += 1;
  const lines: DiffLine[] = [];
  const push = (kind: DiffLine["kind"], i: number, j: number) =>
    lines.push({
      kind,
      text: (kind === "added" ? next[j] : old[i]) ?? "",
      old: kind === "added" ? undefined : i + 1,
      next: kind === "removed" ? undefined : j + 1,
    });
  for (let i = 0; i < start; i += 1) push("same", i, i);
  const [oldEnd, nextEnd] = [old.length - end, next.length - end];
  const lengths = commonLengths(old.slice(start, oldEnd), next.slice(start, nextEnd));
  let [i, j] = [start, start];
  while (i < oldEnd || j < nextEnd) {
    if (i < oldEnd && j < nextEnd && old[i] === next[j] && lengths !== undefined) {
      push("same", i, j);
      i += 1;
      j += 1;
    } else if (
      i < oldEnd &&
      (j >= nextEnd || lengths === undefined || lengths(i + 1 - start, j - start) >= lengths(i - start, j + 1 - start))
    ) {
      push("removed", i, j);
      i += 1;
    } else {
      push("added", i, j);
      j += 1;
    }
  }
  for (; i < old.length; i += 1, j += 1) push("same", i, j);
  return lines;
}

/** The lines that changed, with some around them. */
export function hunksOf(lines: readonly DiffLine[], around = 3): readonly Hunk[] {
  const isNear = new Array<boolean>(lines.length).fill(false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== "same") isNear.fill(true, Math.max(index - around, 0), index + around + 1);
  }
  const hunks: { skipped: number; lines: DiffLine[] }[] = [];
  let skipped = 0;
  for (const [index, line] of lines.entries()) {
    if (!isNear[index]) {
      skipped += 1;
      continue;
    }
    if (skipped > 0 || hunks.length === 0) hunks.push({ skipped, lines: [] });
    skipped = 0;
    hunks.at(-1)?.lines.push(line);
  }
  return hunks;
}

/** The length of the longest common part of what follows two lines. Undefined for texts that differ too much. */
function commonLengths(
  old: readonly string[],
  next: readonly string[],
): ((i: number, j: number) => number) | undefined {
  if (old.length * next.length > MOST_CELLS) return undefined;
  const width = next.length + 1;
  const table = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = next.length - 1; j >= 0; j -= 1) {
      const [below, right] = [table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0];
      table[i * width + j] = old[i] === next[j] ? (table[(i + 1) * width + j + 1] ?? 0) + 1 : Math.max(below, right);
    }
  }
  return (i, j) => table[i * width + j] ?? 0;
}
