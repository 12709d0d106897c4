import { expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random.ts";
import { createJsonReader } from "./json-reader.ts";
import { createJsonWriter } from "./json-writer.ts";

const bytes = (text: string) => Buffer.from(text, "utf8").toString("latin1");

/** Reads a text and writes it again. The writer gets it cut between values, as a script packs it. */
function again(text: string): string {
  const reader = createJsonReader(bytes(text));
  let packed: string | undefined;
  while (packed === undefined) packed = reader.step();
  const writer = createJsonWriter();
  writer.add(packed);
  return Buffer.from(writer.finish(), "latin1").toString("utf8");
}

test.each([
  '{"a":[1,2.5,-3,true,false,null,"x"],"b":{},"":[[]],"ü":"日本"}',
  "[9007199254740993,-9223372036854775808,2147483648,-2147483649,4294967296]",
  "1.5e-7",
  '"plain"',
  "[]",
  "{}",
  "null",
])("%s is read and written again", (text) => {
  expect(again(text)).toBe(text);
});

test.each([
  [" [ 1 ,\n\t2\r] ", "[1,2]"],
  ["1.0", "1"],
  ["-0", "0"],
  ["1E3", "1000"],
  ['"\\u00fc\\n\\"\\/\\ud83d\\ude00"', '"ü\\n\\"/😀"'],
  ['"\\ud83d\\u0041"', '"\ufffdA"'],
  ['"\\u0041\\udc00"', '"A\ufffd"'],
  ["18446744073709551616", "18446744073709552000"],
])("%s is %s", (text, expected) => {
  expect(again(text)).toBe(expected);
});

test.each([
  ["", "unexpected end of the text in JSON at character 1"],
  ["{bad", 'unexpected "b" in JSON at character 2'],
  ["[1,]", 'unexpected "]" in JSON at character 4'],
  ['{"a":1,}', 'unexpected "}" in JSON at character 8'],
  ['{"a" 1}', 'unexpected "1" in JSON at character 6'],
  ["[1 2]", 'unexpected "2" in JSON at character 4'],
  ["[1}", 'unexpected "}" in JSON at character 3'],
  ["01", 'unexpected "1" in JSON at character 2'],
  ["1.", 'unexpected "." in JSON at character 2'],
  ["-", 'unexpected "-" in JSON at character 1'],
  ["tru", 'unexpected "t" in JSON at character 1'],
  ['"a', "unexpected end of the text in JSON at character 3"],
  ['"a\nb"', 'unexpected "\\n" in JSON at character 3'],
  ['"\\x"', 'unexpected "\\\\" in JSON at character 2'],
  ['"\\u12"', 'unexpected "\\\\" in JSON at character 2'],
  ["1,2", 'unexpected "," in JSON at character 2'],
  ["]", 'unexpected "]" in JSON at character 1'],
  ["[".repeat(101), "JSON nested more than 100 levels deep, from character 101 on"],
  [`[${"0,".repeat(600_000)}0]`, "JSON of more than 600000 values, from character 1200000 on"],
  ["x".repeat(2_097_153), "JSON of more than 2097152 bytes"],
])("%.20s is no JSON", (text, message) => {
  expect(() => again(text)).toThrow(message);
});

test("whatever the platform reads is read the same, and what it refuses is refused", () => {
  const random = randomFrom(7);
  const pieces = ["{", "}", "[", "]", ",", ":", '"a"', '"\\u00e9"', "1", "-2.5", "true", "null", " ", '"', "x", "0"];
  let valid = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const length = 1 + Math.floor(random() * 7);
    const text = Array.from({ length }, () => pieces[Math.floor(random() * pieces.length)]).join("");
    let expected: string | undefined;
    try {
      expected = JSON.stringify(JSON.parse(text));
      valid += 1;
    } catch {}
    if (expected === undefined) expect(() => again(text), text).toThrow();
    else expect(JSON.stringify(JSON.parse(again(text))), text).toBe(expected);
  }
  expect(valid).toBeGreaterThan(200);
});

test("a long text is read in steps", () => {
  const text = JSON.stringify(Array.from({ length: 5_000 }, (_, id) => ({ id, name: `device ${id}`, ok: true })));
  const reader = createJsonReader(text);
  let steps = 1;
  while (reader.step() === undefined) steps += 1;
  expect(steps).toBeGreaterThan(text.length / 20_000);
  expect(again(text)).toBe(text);
});
