/** A cell without quotes that is empty has no value; `""` is an empty text. */
export type Cell = string | null;

const COMMA = ",";
const QUOTE = '"';

/** Reads CSV by RFC 4180, cut into pieces anywhere. `push` gives the rows that a piece completes, `end` the last one. */
export function createCsvRows(): {
  readonly push: (piece: Uint8Array) => readonly (readonly Cell[])[];
  readonly end: () => readonly (readonly Cell[])[];
} {
  const decoder = new TextDecoder();
  let rest = "";
  /** How much of `rest` is known to hold no end of a row, and whether a quote is open there. */
  let scanned = 0;
  let isQuoted = false;

  const take = (text: string): readonly (readonly Cell[])[] => {
    rest += text;
    const rows: (readonly Cell[])[] = [];
    let from = 0;
    for (let at = scanned; at < rest.length; at += 1) {
      const sign = rest[at];
      if (sign === QUOTE) isQuoted = !isQuoted;
      else if (sign === "\n" && !isQuoted) {
        rows.push(cellsOf(rest.slice(from, rest[at - 1] === "\r" && at > from ? at - 1 : at)));
        from = at + 1;
      }
    }
    rest = rest.slice(from);
    scanned = rest.length;
    return rows;
  };

  return {
    push: (piece) => take(decoder.decode(piece, { stream: true })),
    end: () => {
      const rows = take(decoder.decode());
      return rest === "" ? rows : [...rows, cellsOf(rest)];
    },
  };
}

function cellsOf(line: string): readonly Cell[] {
  if (!line.includes(QUOTE)) return line.split(COMMA).map((cell) => (cell === "" ? null : cell));
  const cells: Cell[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    const isQuoted = line[at] === QUOTE;
    let end = isQuoted ? at + 1 : at;
    // Two quotes inside of quotes are one.
    while (end < line.length && (isQuoted ? line[end] !== QUOTE || line[end + 1] === QUOTE : line[end] !== COMMA)) {
      end += isQuoted && line[end] === QUOTE ? 2 : 1;
    }
    const text = line.slice(isQuoted ? at + 1 : at, end);
    cells.push(isQuoted ? text.replaceAll('""', QUOTE) : text === "" ? null : text);
    at = isQuoted ? end + 1 : end;
  }
  return cells;
}
