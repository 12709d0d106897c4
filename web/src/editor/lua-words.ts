// The words of Lua, for their colours. Long strings and comments may go on over several lines.
import type { StreamParser } from "@codemirror/language";

const KEYWORDS = new Set(
  "and break do else elseif end false for function goto if in local nil not or repeat return then true until while".split(
    " ",
  ),
);

/** The end of a long string or comment, such as `]==]`; empty outside of one. */
type State = { end: string; kind: "comment" | "string" };

type Line = Parameters<StreamParser<State>["token"]>[0];

export const luaWords: StreamParser<State> = {
  name: "lua",
  startState: () => ({ end: "", kind: "string" }),
  token(line, state) {
    if (state.end !== "") return longPart(line, state);
    if (line.eatSpace()) return null;
    if (line.match("--")) {
      if (openLong(line, state, "comment")) return longPart(line, state);
      line.skipToEnd();
      return "comment";
    }
    if (openLong(line, state, "string")) return longPart(line, state);
    const quote = line.match(/^["']/) as RegExpMatchArray | null;
    if (quote !== null) {
      // To the closing quote, or to the end of the line where it is missing.
      line.match(quote[0] === '"' ? /^(?:[^"\\]|\\.)*"?/ : /^(?:[^'\\]|\\.)*'?/);
      return "string";
    }
    const word = line.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
    if (word !== null) return KEYWORDS.has(word[0]) ? "keyword" : null;
    if (line.match(/^(?:0[xX][\da-fA-F.]+|\d[\d.]*(?:[eE][+-]?\d+)?)/)) return "number";
    line.next();
    return null;
  },
};

function openLong(line: Line, state: State, kind: State["kind"]): boolean {
  const open = line.match(/^\[(=*)\[/) as RegExpMatchArray | null;
  if (open === null) return false;
  state.end = `]${open[1]}]`;
  state.kind = kind;
  return true;
}

function longPart(line: Line, state: State): string {
  const { kind } = state;
  if (line.skipTo(state.end)) {
    line.match(state.end);
    state.end = "";
  } else line.skipToEnd();
  return kind;
}
