import { StringStream } from "@codemirror/language";
import { expect, test } from "vitest";
import { luaWords } from "./lua-words.ts";

/** The words that have a colour, line by line. */
function words(source: string): readonly string[] {
  const state = luaWords.startState?.(2) ?? expect.unreachable();
  return source.split("\n").flatMap((text) => {
    const found: string[] = [];
    const line = new StringStream(text, 2, 2);
    while (!line.eol()) {
      line.start = line.pos;
      const kind = luaWords.token(line, state);
      if (kind !== null) found.push(`${kind} ${line.current()}`);
    }
    return found;
  });
}

test.each([
  ["local x = 1.5e3 -- a note", ["keyword local", "number 1.5e3", "comment -- a note"]],
  [`return "a \\" b" .. 'c`, ["keyword return", `string "a \\" b"`, "string 'c"]],
  ["endless.notes[0xFF]", ["number 0xFF"]],
  ["--[[ one\nend\n]] end", ["comment --[[ one", "comment end", "comment ]]", "keyword end"]],
  ["x = [==[ a ]]\n b ]==] or y", ["string [==[ a ]]", "string  b ]==]", "keyword or"]],
])("%j has the words %j", (source, expected) => {
  expect(words(source)).toEqual(expected);
});
