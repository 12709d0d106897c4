import { expect, test } from "vitest";
import { printable } from "./printable.ts";

test.each([
  ["plain text, ünïcode, 电池 🔋", "plain text, ünïcode, 电池 🔋"],
  ["two\nlines\r\n", "two\\nlines\\r\\n"],
  ["\u001b[2J gone", "\\u001b[2J gone"],
  ["\u009b31m", "\\u009b31m"],
  ["abc\u202egpj.exe", "abc\\u202egpj.exe"],
  ["tab\there", "tab\\there"],
])("%j prints as %j", (text, expected) => {
  expect(printable(text)).toBe(expected);
});
