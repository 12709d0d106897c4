import { expect, test } from "vitest";
import { randomFrom } from "../../test/support/random.ts";
import { parseValues } from "./messages.ts";
import { QuickValues } from "./quick-values.ts";
import { createValuesReader } from "./values-reader.ts";

const IS_LONG = process.env["BUSBAR_LONG"] === "1";
const MESSAGES = IS_LONG ? 200_000 : 10_000;

const NAMES = [
  "a",
  "power",
  "timestamp",
  "alerts",
  "state of charge",
  "__proto__",
  "constructor",
  "",
  "1",
  "ä",
  "\\u0061",
  "a\\n",
];
/** What devices send, and what nobody should. */
const VALUES = [
  ..."0 -0 -0.0 0.10 1 -1 12.5 49.84 8600.001 705 2.0 1e3 1E+3 1e400 -1e400 1e-400 5e-324 123456789012345 1234567890123456".split(
    " ",
  ),
  ..."0.123456789012345 9007199254740993 0.1234567890123456789 00 01 -01 1. .5 - +1 -a NaN -NaN Infinity -Infinity 1.2.3 0x10".split(
    " ",
  ),
  ...["true", "false", "null", "tru", "True", "nul", "truely", "undefined"],
  ...[
    '"operating"',
    '""',
    '"a\\"b"',
    '"\\u00e4"',
    '"ä"',
    '"\u007f"',
    '"\u0001"',
    '"a',
    `"${"x".repeat(65)}"`,
    `"${"x".repeat(64)}"`,
  ],
  ...["[]", '["a","b"]', '["a",1]', "{}", '{"b":1}', "[[[[]]]]", "[".repeat(40), "1 ", " 1", "1,", "1}", "1,,", "1 2"],
];
/** A number is Unix seconds. */
const TIMES = [
  "1790000000",
  "1790000000.123",
  "1790000000.123456",
  "1790000000123",
  "-1",
  '"1790000000"',
  "null",
  "1.79e9",
  "1790000000.0000001",
];

type Chance = () => number;
const one = (chance: Chance, items: readonly string[]): string => items[Math.floor(chance() * items.length)] ?? "";
/** Most often the beginning of the list. */
const usual = (chance: Chance, items: readonly string[]): string =>
  items[Math.floor(chance() ** 3 * items.length)] ?? "";

function someMessage(chance: Chance, names: readonly string[]): string {
  const members = names.map(
    (name) => `"${name}":${name === "timestamp" ? usual(chance, TIMES) : usual(chance, VALUES)}`,
  );
  const text = `{${members.join(",")}}`;
  const kind = chance();
  if (kind < 0.03) return text.slice(0, Math.floor(chance() * text.length));
  if (kind < 0.06) return text + one(chance, ["}", " ", "\n", ",", "x", "\0", text]);
  if (kind < 0.09)
    return text.replace(one(chance, [":", ",", "{", '"']), one(chance, [" : ", ", ", "{ ", "'", "\ufeff"]));
  if (kind < 0.12) return `\ufeff${text}`;
  return text;
}

test(`${MESSAGES} messages are read as if each were alone, whatever the one before looked like`, () => {
  const chance = randomFrom(31);
  const read = createValuesReader();
  let sender = {};
  let names: readonly string[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    if (i % 20 === 0) {
      const count = Math.floor(chance() * 6);
      const own = Array.from({ length: count }, () => usual(chance, NAMES));
      names = chance() < 0.5 ? own : [...new Set(["timestamp", ...own])];
      if (chance() < 0.3) sender = {};
    }
    const payload = Buffer.from(someMessage(chance, names), chance() < 0.02 ? "latin1" : "utf8");
    const plain = parseValues(payload);
    const found = read(sender, payload);
    // The order counts, too: of two names of one attribute the last one is taken.
    const inOrder = ("message" in found && [...found.message.values]) || [];
    expect(found, payload.toString()).toEqual(plain);
    expect(inOrder).toEqual(("message" in plain && [...plain.message.values]) || []);
  }
});

test("random numbers of all lengths are what JSON.parse makes of them", () => {
  const chance = randomFrom(5);
  const quick = new QuickValues();
  const layout = quick.layoutOf(Buffer.from('{"a":1}'));
  if (layout === undefined) throw new Error("has no layout");
  let read = 0;
  for (let i = 0; i < MESSAGES; i++) {
    const digits = Array.from({ length: 1 + Math.floor(chance() * 17) }, () => Math.floor(chance() * 10)).join("");
    const point = Math.floor(chance() * (digits.length + 1));
    const text = `${chance() < 0.3 ? "-" : ""}${digits.slice(0, point)}${chance() < 0.7 ? "." : ""}${digits.slice(point)}`;
    const found = quick.read(Buffer.from(`{"a":${text}}`), layout);
    if (found === undefined) continue;
    read++;
    expect(found.members.get("a"), text).toBe(JSON.parse(text));
  }
  expect(read).toBeGreaterThan(MESSAGES / 3);
});

test.each([
  ['{"timestamp":1790000000.5,"a":-12.50,"b":"on","c":true,"d":null}', [-12.5, "on", true, null]],
  ['{"a":[1]}', undefined],
  ['{"a":1e3}', undefined],
  ['{"a":1,"a":2}', undefined],
  ['{"2":1}', undefined],
  ['{ "a":1}', undefined],
  ["{}", undefined],
])("%s is read quickly: %j", (text, expected) => {
  const quick = new QuickValues();
  const layout = quick.layoutOf(Buffer.from(text));
  const found = layout && quick.read(Buffer.from(text), layout);
  expect(found && [...found.members.values()]).toEqual(expected);
});

test("a sender whose messages differ is not looked at each time, and one that has become regular is read quickly again", () => {
  const read = createValuesReader();
  const sender = {};
  for (let i = 0; i < 3_000; i++) {
    const text = `{"${["a", "b"][i % 2]}":${i}}`;
    expect(read(sender, Buffer.from(text))).toEqual(parseValues(Buffer.from(text)));
  }
  for (let i = 0; i < 300; i++) read({}, Buffer.from(`{"n${i}":1}`));
  expect(read(sender, Buffer.from('{"a":1}'))).toEqual(parseValues(Buffer.from('{"a":1}')));
});
