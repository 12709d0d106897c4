import { expect, test } from "vitest";
import { readPlainDocument } from "#manifest/plain-document.ts";
import { itemsOf, kindOfItem, kindsOf, newItem, pathOf, readList, readTyped, SECTIONS } from "./form-kinds.ts";
import { createRuleTools, type Json } from "./rule-tools.ts";

const item = (text: string): Json => readPlainDocument(text, "rule").value as Json;

test.each([
  ["when", "{ device: m, attribute: p, above: 5, hysteresis: 1, max_age: 1m }", "value"],
  ["when", "{ device: m, attribute: p, above: { variable: x, times: 2 } }", "value"],
  ["when", "{ device: m, attribute: p, equals: [on, off] }", "value"],
  ["when", "{ device: m, attribute: p, stale_for: 5m }", "stale"],
  ["when", "{ at: sunset, days: [mon, tue] }", "at"],
  ["when", "{ device: m, command: start, ended: any }", "ended"],
  ["if", "{ from: sunset, to: sunrise }", "time"],
  ["if", "{ calendar: holidays, is: off }", "calendar"],
  ["when", "{ tariff: import, below: { variable: x } }", "tariff"],
  ["if", "{ tariff: import, cheapest: 4h, before: '06:00', unbroken: true }", "cheapest"],
  ["if", "{ tariff: export, dearest: 2h, from: '08:00', before: sunset }", "dearest"],
  ["then", "{ set: a, to: { tariff: import, times: 100 } }", "set"],
  ["if", "{ any: [{ not: { variable: a, equals: 1 } }] }", "any"],
  ["then", "{ claim: power, device: c, max: unlimited, hold: 2h }", "claim"],
  ["then", "{ set: a, to: { device: m, attribute: p } }", "set"],
] as const)("below %s the form shows %s as %s", (section, text, kind) => {
  expect(kindOfItem(item(text), kindsOf(section))?.id).toBe(kind);
});

test.each([
  ["when", "{ device: m, attribute: p, above: 5, colour: red }"],
  ["when", "{ device: m, attribute: p, above: { variable: x, unit: [a] } }"],
  ["when", "{ device: m, attribute: p, between: [{ variable: x }, 5] }"],
  ["if", "{ at: sunset }"],
  ["if", "[a]"],
  ["then", "{ execute: start, device: c, arguments: { level: 2 } }"],
  ["then", "{ constructor: 1 }"],
  ["then", "text"],
] as const)("below %s, %s stays text", (section, text) => {
  expect(kindOfItem(item(text), kindsOf(section))).toBeUndefined();
});

test("what a form adds is YAML of the language, but for what has to be chosen", () => {
  const tools = createRuleTools();
  const start = "when: { every: 1h }\nthen: { notify: x }\n";
  for (const section of SECTIONS) {
    for (const kind of kindsOf(section)) {
      const text = tools.edit(start, [{ path: [section, 5], value: newItem(kind, "meter") }]) ?? "";
      const { document, issues } = tools.read(text);
      const added = itemsOf(document?.[section]).at(-1) ?? null;
      expect([section, kind.id, kindOfItem(added, kindsOf(section))?.id]).toEqual([section, kind.id, kind.id]);
      // No key is unknown, and nothing has a wrong form: only names are missing, and a claim at a moment needs hold.
      const codes = issues
        .filter(({ message }) => !message.includes("needs hold") && !message.includes("without"))
        .map(({ code }) => code);
      expect([section, kind.id, codes.filter((code) => code === "unknown_key" || code === "bad_duration")]).toEqual([
        section,
        kind.id,
        [],
      ]);
    }
  }
});

test("one thing that stands for a list is where its section is", () => {
  const places = (value: Json): readonly unknown[] => itemsOf(value).map((_, index) => pathOf(["if"], value, index));
  expect(places({ variable: "a" })).toEqual([["if"]]);
  expect(places([{ variable: "a" }, { variable: "b" }])).toEqual([
    ["if", 0],
    ["if", 1],
  ]);
  expect(itemsOf(undefined)).toEqual([]);
});

test.each([
  ["5", 5],
  ["-1,5", -1.5],
  ["−3", -3],
  ["true", true],
  ["22:00", "22:00"],
  ["5m", "5m"],
  ["", ""],
  [" on ", " on "],
])("%j is read as %j", (text, value) => {
  expect(readTyped(text)).toBe(value);
});

test("several values are separated by semicolons", () => {
  expect(readList("on; 5;true ")).toEqual(["on", 5, true]);
  expect(readList("a, b")).toBe("a, b");
});
