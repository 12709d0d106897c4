// A list in one line: items with commas between them. An item with a comma in it stands in double quotes, and a double quote within
// them is written twice, as in CSV.

/** Without the spaces around items, and without empty items. */
export function splitQuotedList(text: string): readonly string[] | { readonly problem: string } {
  const found: string[] = [];
  const item = /\s*(?:"((?:[^"]|"")*)"\s*|((?!\s)[^",][^,]*)|)(,|$)/gy;
  while (item.lastIndex < text.length) {
    const match = item.exec(text);
    if (match === null)
      return { problem: "has a double quote that is not closed, or that does not stand around a whole item" };
    const [, quoted, plain = ""] = match;
    const value = quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"').trim();
    if (value !== "") found.push(value);
  }
  return found;
}

export function joinQuotedList(items: readonly string[]): string {
  return items.map((item) => (/^\s*"|,/.test(item) ? `"${item.replaceAll('"', '""')}"` : item)).join(",");
}
