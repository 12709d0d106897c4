import { expect, test } from "vitest";
import { manifestJson } from "./manifest-json.ts";
import { readDocument } from "./read-document.ts";
import { createReporter } from "./reporter.ts";

function read(text: string) {
  const reporter = createReporter(text);
  return { node: readDocument(reporter), issues: reporter.issues() };
}

const codes = (text: string) => read(text).issues.map(({ code }) => code);

test.each([
  ["\uFEFFa: 1\nb: [x]", { a: 1, b: ["x"] }],
  ["---\n# comment\na: 1 # more\n\n  # deeper\nb: x#y z # c", { a: 1, b: "x#y z" }],
  [
    "a:\n- 1\n- two\nb:\n  - - 3\n    - 4\n  -\n    c: d\n  -\ni:",
    { a: [1, "two"], b: [[3, 4], { c: "d" }, null], i: null },
  ],
  ["a: |\n  one\n\n    two\n\nb: >-\n  one\n  two\n\n  three", { a: "one\n\n  two\n", b: "one two\nthree" }],
  ["a: 'it''s'\nb: \"tab\\t \\u00e9 \\\"q\\\"\"\n'c d': 1", { a: "it's", b: 'tab\t é "q"', "c d": 1 }],
  ['{\n\t"a": 1,\n\t"b": [true, null],\n\t"c" : {"d": -1.5e3}\n}\n', { a: 1, b: [true, null], c: { d: -1500 } }],
  ["a: &x {b: 1}\nc: *x\nf:\n  <<: *x\n  g: 2", { a: { b: 1 }, c: { b: 1 }, f: { b: 1, g: 2 } }],
  [
    "a: some text\n  that goes on\n\n  after a gap\nb:\n  below",
    { a: "some text that goes on\nafter a gap", b: "below" },
  ],
  [
    "a: ~\nc: True\ne: yes\nf: 0x1F\ng: 0o17\nh: 010\nq: 2001-01-01",
    { a: null, c: true, e: "yes", f: 31, g: 15, h: 10, q: "2001-01-01" },
  ],
  ['a: 1\r\nb: |\r\n  x\r\n  y\r\nc: "d"\r\n', { a: 1, b: "x\ny\n", c: "d" }],
  ["a: !!str 1\n? b\n: c", { a: "1", b: "c" }],
])("%j is read as YAML 1.2", (text, value) => {
  const { node, issues } = read(text);
  expect(issues).toEqual([]);
  expect(JSON.parse(JSON.stringify(manifestJson(node).original))).toEqual(value);
});

test("a node ends where its text ends, a block text without the blank lines after it", () => {
  const text = "a: |\n  x\n\n\nb: 'y'\n";
  const { node } = read(text);
  const values = node?.kind === "map" ? [...node.entries.values()].map(({ value }) => value) : [];
  expect(values.map(({ start, end }) => text.slice(start, end))).toEqual(["|\n  x", "'y'"]);
});

test.each([
  ["", "empty_document"],
  ["# only a comment", "empty_document"],
  ["a: 1\n---\nb: 2", "several_documents"],
  ["%YAML 1.2\n---\na: 1", "yaml_syntax"],
  ["a: !own 1", "yaml_syntax"],
  ["a:\n\tb: 1", "yaml_syntax"],
  ["a: [1, 2", "yaml_syntax"],
  [`${"[".repeat(70)}${"]".repeat(70)}`, "document_too_deep"],
  [`[${"[],".repeat(60_000)}]`, "document_too_complex"],
  ["#".repeat(256 * 1024 + 1), "document_too_large"],
])("%.20s is refused", (text, code) => {
  expect(read(text).node).toBeUndefined();
  expect(codes(text)).toContain(code);
});

test("texts in quotes side by side are given up after the first errors", () => {
  expect(codes('""'.repeat(100_000))).toHaveLength(20);
});
