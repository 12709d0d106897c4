// Finds what somebody types. Pure.

export type Kind = "screen" | "site" | "device" | "command" | "help";

export type Entry = {
  readonly kind: Kind;
  readonly title: string;
  /** Where it belongs: a device's kind, a command's device. */
  readonly detail: string;
  /** Other words that find it. */
  readonly words: string;
  readonly href: string;
};

const RANK: Readonly<Record<Kind, number>> = { device: 0, command: 1, screen: 2, site: 3, help: 4 };
const MOST = 40;

/** Entries that contain every word of the text, best first. A text that begins with `>` finds commands only. */
export function search(entries: readonly Entry[], text: string): readonly Entry[] {
  const onlyCommands = text.trimStart().startsWith(">");
  const words = fold(text.replace(/^\s*>/, ""))
    .split(/\s+/)
    .filter((word) => word !== "");
  const scored = entries.flatMap((entry) => {
    if (onlyCommands && entry.kind !== "command") return [];
    const score = scoreOf(entry, words);
    return score === undefined ? [] : [{ entry, score }];
  });
  scored.sort(
    (a, b) =>
      b.score - a.score || RANK[a.entry.kind] - RANK[b.entry.kind] || a.entry.title.localeCompare(b.entry.title),
  );
  return scored.slice(0, MOST).map(({ entry }) => entry);
}

/** The beginning of the title counts most, then the beginning of a word, then anything else. */
function scoreOf({ title, detail, words: more }: Entry, words: readonly string[]): number | undefined {
  const [name, place, rest] = [fold(title), fold(detail), fold(more)];
  let score = 0;
  for (const word of words) {
    if (name.startsWith(word)) score += 8;
    else if (name.includes(` ${word}`)) score += 6;
    else if (name.includes(word)) score += 4;
    else if (place.includes(word)) score += 2;
    else if (rest.includes(word)) score += 1;
    else return undefined;
  }
  return score;
}

/** Without accents and case: `übersicht` is found by `ubersicht`. */
function fold(text: string): string {
  return text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
