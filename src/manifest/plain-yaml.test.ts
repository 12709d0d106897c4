import { expect, test } from "vitest";
import { readPlainYaml } from "./plain-yaml.ts";
import { readByLibrary } from "./read-document.ts";
import { createReporter } from "./reporter.ts";
import type { Node } from "./tree.ts";

/** Everything of a tree that rules and messages use, as one text. */
function view(node: Node): unknown {
  switch (node.kind) {
    case "scalar":
      return node.start === node.end
        ? [node.value]
        : [String(node.value), typeof node.value, node.text, node.start, node.end];
    case "list":
      return node.items.map(view);
    case "map": {
      const entries = [...node.entries.values()].map((entry) => [
        entry.key,
        entry.keyStart,
        entry.keyEnd,
        view(entry.value),
      ]);
      return { entries, problems: node.problems.map((problem) => problem.code) };
    }
    case "broken":
      return node.problem;
  }
}

function byLibrary(text: string): unknown {
  const reporter = createReporter(text);
  const node = readByLibrary(reporter, 0);
  return node ? view(node) : reporter.issues();
}

const PLAIN = [
  "\uFEFFa: 1\nb: [x]",
  "a: 1",
  "---\n# comment\na: 1 # more\n\n  # deeper\nb: x#y z # c",
  "a:\n- 1\n- two\nb:\n  - - 3\n    - 4\n  -\n    c: d\n  - e: f\n    g: h\n  -\ni:",
  "a: |\n  one\n\n    two\n  three\n\nb: >-\n  one\n  two\n\n  three\n    four\n  five\nc: |-\n  x\nd: >+\n  y\n\n",
  "a: 'it''s'\nb: \"tab\\t \\u00e9 \\\"q\\\"\"\n'c d': 1\n\"e\": 2",
  'a: [1, two, \'three\', "four", [5], {b: c, "d":e, f: [g]}, ]\nh: {}\ni: []',
  '{\n\t"a": 1,\n\t"b": [true, null],\n\t"c" : {"d": -1.5e3}\n}\n',
  "a: &x {b: 1}\nc: *x\nd: &y\n  e: 1\nf:\n  <<: *y\n  g: 2\nh: [*x, *y]\ni: *z",
  "a: some text\n  that goes on\n\n  after a gap\nb:\n  below\n  and on\nc: 1",
  "a: ~\nb: null\nc: true\nd: True\ne: yes\nf: 0x1F\ng: 0o17\nh: 010\ni: 1.\nj: .5\nk: +1\nl: 1e3\nm: .inf\nn: -.INF\no: .nan\np: 1_000\nq: 2001-01-01\nr: 1:30\nt: -x",
  'a: 1\r\nb: |\r\n  x\r\n  y\r\nc: "d"\r\ne: f g\r\n  h\r\n',
  "a: \"over\n  lines\n\n  and  on \n  \"\nb: 'x\n\n  y'' z\n   w'\nc: [\"p\n  q\", r]",
  "a: http://x:80/y?z#w\nb: a,b [c] {d}\nc: x:y\nd: '#'\ne: x@y",
  ".a: {x: 1, x: 2}\nb: 1\nb: 2\nconstructor: 1\n__proto__: {a: 1}\n1: x\ntrue: y\n~: z",
];

test.each(PLAIN)("%j is read as the YAML library reads it", (text) => {
  const { node } = readPlainYaml(text);
  expect(node && view(node)).toEqual(byLibrary(text));
});

test.each([
  "",
  "# only a comment",
  "a: !!str 1",
  "? a\n: b",
  "a: b: c",
  "a:\n\tb: 1",
  "%YAML 1.2\n---\na: 1",
  "a: 1\n---\nb: 2",
  "a: 1\n...\n",
  'a: "over\\\n  lines"',
  "a: [1, 2",
  "a: 'x' y",
  "a: |2\n  x",
  "a: @x",
  "a: `x`",
  "- a\nb: c",
  "a:\n  b: 1\n c: 2",
  "&a b: 1",
  "*a : 1",
  "[a: b]",
  "{a, b}",
  "a: 1\rb: 2",
  `${"[".repeat(70)}${"]".repeat(70)}`,
])("%j is left to the YAML library", (text) => {
  expect(readPlainYaml(text).node).toBeUndefined();
});

const PIECES =
  "\n| |  |- |: |#| #|\"|'|[|]|{|}|,|&x|*x|>|>-|\t|---\n|...|!|%|?|? |0x1F|1.0|~|null|yes|<<: |\r\n|:|-|a|é|\u2028|\u00a0|@|`|\\|.inf|+1|\n\n|\n  |\n    ".split(
    "|",
  );

/** A small generator, so that a failure can be repeated from its seed. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >> 8) % below;
  };
}

function mutate(text: string, random: (below: number) => number): string {
  const at = random(text.length + 1);
  const piece = PIECES[random(PIECES.length)] ?? "";
  switch (random(4)) {
    case 0:
      return text.slice(0, at) + piece + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + random(5));
    case 2: {
      const from = random(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + random(30)) + text.slice(at);
    }
    default:
      return text.slice(0, at) + piece + text.slice(at + 1);
  }
}

test("whatever it reads of random texts, the YAML library reads the same", () => {
  const random = generator(20_261_114);
  let read = 0;
  for (let round = 0; round < 20_000; round += 1) {
    let text = PLAIN[random(PLAIN.length)] ?? "";
    for (let change = random(4); change >= 0; change -= 1) text = mutate(text, random);
    const { node } = readPlainYaml(text);
    if (node === undefined) continue;
    read += 1;
    expect(JSON.stringify(view(node)), JSON.stringify(text)).toBe(JSON.stringify(byLibrary(text)));
  }
  expect(read).toBeGreaterThan(4_000);
});
