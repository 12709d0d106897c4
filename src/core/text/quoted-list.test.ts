import fc from "fast-check";
import { expect, test } from "vitest";
import { joinQuotedList, splitQuotedList } from "./quoted-list.ts";

test.each([
  ["", []],
  ["a", ["a"]],
  [" a , b ,, c,", ["a", "b", "c"]],
  ['"a,b",c', ["a,b", "c"]],
  ['c , "a,b" ', ["c", "a,b"]],
  ['"say ""hi"""', ['say "hi"']],
  ['5" pipes,b', ['5" pipes', "b"]],
  ['""', []],
  ["CN=Admins\\, West,b", ["CN=Admins\\", "West", "b"]],
])("%j has the items %j", (text, items) => {
  expect(splitQuotedList(text)).toEqual(items);
});

test.each(['"a', 'a,"b', '"a"b', '"a" "b"'])("%j is refused", (text) => {
  expect(splitQuotedList(text)).toEqual({ problem: expect.stringContaining("double quote") });
});

test("what was joined splits into the same items", () => {
  const item = fc.string({ minLength: 1 }).map((text) => text.trim());
  fc.assert(
    fc.property(fc.array(item.filter(Boolean)), (items) => {
      expect(splitQuotedList(joinQuotedList(items))).toEqual(items);
    }),
  );
});
