// A list as JSON. A short list is sent in one piece. A long one is sent piece by piece, only as fast as the client
// reads, and other calls get their turn between two pieces. So a long list costs neither memory nor other callers'
// time.
import { Readable } from "node:stream";

/** A piece is sent once it has this many characters. */
const PIECE = 64 * 1024;

export class ListAnswer {
  readonly plural: string;
  readonly total: number;
  /** Each item as JSON, made when it is taken. */
  readonly items: Iterable<string>;
  /** Items that follow those. */
  readonly rest: AsyncIterable<string> | undefined;

  constructor(
    plural: string,
    total: number,
    items: { readonly now: Iterable<string>; readonly rest?: AsyncIterable<string> | undefined },
  ) {
    this.plural = plural;
    this.total = total;
    this.items = items.now;
    this.rest = items.rest;
  }
}

/** The whole text where it is short, else the pieces. `nextTurn` lets others have their turn between two pieces. */
export function openList(
  { plural, total, items, rest }: ListAnswer,
  nextTurn: () => Promise<unknown>,
): string | Readable {
  const end = `],"total_count":${total}}`;
  const iterator = items[Symbol.iterator]();
  let piece = `{${JSON.stringify(plural)}:[`;
  let separator = "";
  let isDone = false;
  function add(item: string): void {
    piece += separator + item;
    separator = ",";
  }
  function fill(): void {
    while (!isDone && piece.length < PIECE) {
      const next = iterator.next();
      if (next.done === true) isDone = true;
      else add(next.value);
    }
  }
  function take(): string {
    const taken = piece;
    piece = "";
    return taken;
  }
  async function* pieces(): AsyncGenerator<string> {
    while (!isDone) {
      yield take();
      await nextTurn();
      fill();
    }
    for await (const item of rest ?? []) {
      add(item);
      if (piece.length < PIECE) continue;
      yield take();
      await nextTurn();
    }
    yield piece + end;
  }
  fill();
  if (isDone && rest === undefined) return piece + end;
  return Readable.from(pieces(), { objectMode: false, highWaterMark: PIECE });
}

/** The whole list at once. A page has a limit, so this has one too. */
export async function readList({ plural, total, items, rest }: ListAnswer): Promise<object> {
  const all: unknown[] = [];
  for (const item of items) all.push(JSON.parse(item));
  for await (const item of rest ?? []) all.push(JSON.parse(item));
  return { [plural]: all, total_count: total };
}
