/** The words of an id: `battery_socAverage` has battery, soc and average. */
export function wordsOf(id: string): readonly string[] {
  return id
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Whether one of the words is in the list, which is written with blanks between. */
export function hasWord(words: readonly string[], list: string): boolean {
  return list.split(" ").some((word) => words.includes(word));
}
