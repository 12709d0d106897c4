/** Documents that must be refused quickly and without harm, whatever they try. */
export interface HostileDocument {
  readonly name: string;
  readonly text: string;
}

const HEAD = "blueprint_spec: device/3.0\ndisplay_name: X\nruntime: {type: embedded}\n";
const FULL = 256 * 1024;

/** As many repetitions of `piece` as fit into a manifest, after `head`. */
function filled(piece: string, head = "", tail = ""): string {
  const room = FULL - new TextEncoder().encode(head + tail).length;
  return head + piece.repeat(Math.floor(room / new TextEncoder().encode(piece).length)) + tail;
}

/** Lines made by a function, as many as fit. */
function lines(make: (index: number) => string, head = ""): string {
  const parts = [head];
  let size = new TextEncoder().encode(head).length;
  for (let index = 0; ; index += 1) {
    const line = `${make(index)}\n`;
    size += new TextEncoder().encode(line).length;
    if (size > FULL) return parts.join("");
    parts.push(line);
  }
}

/** Nine levels of ten aliases each: a few lines that mean a thousand million values. */
function bomb(open: string, close: string, item: (name: string) => string): string {
  const levels = Array.from({ length: 9 }, (_, level) => {
    const inner = Array.from({ length: 10 }, (_, at) => item(`k${at}: *l${level}`)).join(", ");
    return `.l${level + 1}: &l${level + 1} ${open}${inner}${close}`;
  });
  return `${HEAD}.l0: &l0 x\n${levels.join("\n")}\ncommands: *l9\n`;
}

const DOCUMENTS: Readonly<Record<string, string>> = {
  // Size.
  "one byte too many": filled("#", HEAD, "\n").padEnd(FULL + 1, "#"),
  "a megabyte": "a".repeat(1_048_576),
  "four megabytes of keys": "a: b\n".repeat(800_000),
  "many bytes in few characters": `a: ${"\u{1F600}".repeat(70_000)}`,
  // Depth.
  "100,000 opening brackets": "[".repeat(100_000),
  "brackets up to the cap": filled("["),
  "braces up to the cap": filled("{a: "),
  "braces with quotes": filled('{"a":'),
  "closed brackets": "[".repeat(100_000) + "]".repeat(100_000),
  "lists in lists": filled("- "),
  "keys without end": filled("? "),
  "colons in a row": filled(": "),
  "a: a: a:": filled("a: "),
  "indented ever deeper": Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n"),
  "indented lists ever deeper": Array.from({ length: 700 }, (_, depth) => `${" ".repeat(depth)}-`).join("\n"),
  "deep in a known place": `${HEAD}telemetry: ${"{a: ".repeat(50_000)}`,
  "deep behind a dot-key": `${HEAD}.x: ${"[".repeat(100_000)}`,
  "70 levels": `${HEAD}.x: ${"[".repeat(70)}${"]".repeat(70)}`,
  // Breadth.
  "60,000 keys": lines((index) => `k${index}:`),
  "60,000 times the same key": filled("a:\n"),
  "60,000 keys in braces": lines((index) => `k${index},`, "{\n"),
  "keys that share a hash prefix": lines((index) => `${"a".repeat(40)}${index}: 1`, HEAD),
  "integer keys": lines((index) => `${index}: 1`, HEAD),
  "unknown keys near known ones": lines((index) => `display_nam${index}: x`, HEAD),
  "unknown attributes keys": lines((index) => `  a${index}: {dispay_name: x, tpye: float}`, `${HEAD}telemetry:\n`),
  "empty attributes": lines((index) => `  a${index}:`, `${HEAD}telemetry:\n`),
  "list items": filled("a,", "[", "]"),
  "list items by dashes": filled("- a\n"),
  "empty list items": filled(",", "["),
  "enum values": filled("a,", `${HEAD}telemetry: {s: {type: integer, display_name: S, enum: [`, "]}}"),
  "aliases that collide": lines(
    (index) => `  a${index}: {type: float, display_name: A, aliases: x}`,
    `${HEAD}telemetry:\n`,
  ),
  "an alias list of one name": filled("x,", `${HEAD}telemetry: {s: {type: float, display_name: S, aliases: [`, "]}}"),
  "commands in unknown groups": lines(
    (index) => `  c${index}: {group: g${index}, display_name: C}`,
    `${HEAD}commands:\n`,
  ),
  "alerts with unknown telemetry": lines(
    (index) => `  c${index}: {severity: bad, display_name: C, telemetry: [tt${index}]}`,
    `${HEAD}alerts:\n`,
  ),
  "commands populated by unknown ones": lines(
    (index) => `  c${index}: {group: g, display_name: C, populate_values_command: d${index}}`,
    `${HEAD}commands:\n`,
  ),
  "unknown units": lines(
    (index) => `  a${index}: {type: flot, display_name: A, unit: unit${index}}`,
    `${HEAD}telemetry:\n`,
  ),
  "bad ids": lines((index) => `  1a${index}: {type: float, display_name: A}`, `${HEAD}telemetry:\n`),
  "free keys and one mistake": lines((index) => `.k${index}: 1`, `${HEAD}x: 1\n`),
  "enum keys": lines(
    (index) => `  v${index}: {}`,
    `${HEAD}telemetry:\n s:\n  type: integer\n  display_name: S\n  enum:\n`.replace(/^ {2}v/gm, "   v"),
  ),
  "many names and many near misses": `${HEAD}telemetry:\n${Array.from({ length: 2_500 }, (_, index) => `  attribute_${index}: {type: flot, display_name: A}`).join("\n")}\nalerts:\n${Array.from({ length: 1_500 }, (_, index) => `  a${index}: {severity: info, display_name: A, telemetry: [atribute_${index}x]}`).join("\n")}\n`,
  // Anchors and aliases.
  "billion laughs in lists": bomb("[", "]", (entry) => entry.slice(entry.indexOf("*"))),
  "billion laughs in objects": bomb("{", "}", (entry) => entry),
  "quadratic aliases": `${HEAD}.a: &a [${"x,".repeat(30_000)}]\ncontributors: [${"*a,".repeat(30_000)}]`,
  "80,000 aliases": filled("*a "),
  "80,000 anchors": filled("&a "),
  "anchors on every line": lines((index) => `k${index}: &a${index} x`, HEAD),
  "aliases on every line": lines((index) => `k${index}: *a`, `${HEAD}.a: &a x\n`),
  "an anchor that contains itself": `${HEAD}telemetry: &a\n  b: *a\n`,
  "a list that contains itself": `${HEAD}contributors: &a [*a]\n`,
  "merge of itself": `${HEAD}telemetry: &a\n  <<: *a\n`,
  "merge chain": `${HEAD}${Array.from({ length: 2_000 }, (_, index) => `.m${index + 1}: &m${index + 1} {<<: *m${index}, k${index}: 1}`).join("\n")}\ntelemetry: *m2000\n`,
  "merge of a text": `${HEAD}<<: text\n`,
  "merge of many": `${HEAD}.a: &a {x: 1}\ntelemetry: {<<: [${"*a,".repeat(40_000)}]}`,
  "unknown anchor": `${HEAD}telemetry: *nowhere\n`,
  "anchor names of length": filled("a", `${HEAD}telemetry: &`, " x"),
  "commands shared a thousand times": `${HEAD}.a: &a {display_name: A, type: float, enum: [${"x,".repeat(500)}]}\n.b: &b {${Array.from({ length: 500 }, (_, index) => `a${index}: *a`).join(", ")}}\n.c: &c {group: g, display_name: C, arguments: *b}\ncommands: {${Array.from({ length: 400 }, (_, index) => `c${index}: *c`).join(", ")}}\n`,
  // Scalars.
  "a text without end": filled("x", `${HEAD}description: "`),
  "a text without end over lines": filled("x\n", `${HEAD}description: "`),
  "a single quote without end": filled("''", `${HEAD}description: '`, "x"),
  "quotes in a row": filled("'"),
  "double quotes in a row": filled('"'),
  backslashes: filled("\\", `${HEAD}x: "`),
  escapes: filled("\\u0041", `${HEAD}x: "`, '"'),
  "a long key": filled("k", HEAD, ": 1"),
  "a long key in quotes": filled("k", `${HEAD}"`, '": 1'),
  "a long id": filled("k", `${HEAD}telemetry: {`, ": {type: float, display_name: x}}").replace("k", "1"),
  "a long number": filled("9", `${HEAD}min: `),
  "a long exponent": filled("9", `${HEAD}min: 1e`),
  "a long default": filled(
    "9",
    `${HEAD}command_groups: {g: {display_name: G}}\ncommands: {c: {group: g, display_name: C, arguments: {a: {type: integer, display_name: A, default: "`,
    '"}}}}',
  ),
  "a long duration": filled("1s", `${HEAD}alerts: {a: {severity: error, display_name: A, grace_period: "`, '"}}'),
  "a long unit": filled("m.", `${HEAD}telemetry: {a: {type: flot, display_name: A, unit: "`, 'm"}}'),
  "a unit in brackets": `${HEAD}telemetry: {a: {type: flot, display_name: A, unit: "${"(".repeat(60)}m"}}`,
  "a long enum word": filled("a", `${HEAD}category: `),
  "a deep json_schema": filled('{"not":', `${HEAD}properties: {a: {type: json, display_name: A, json_schema: '`, "'}}"),
  "a broken json_schema": filled("[", `${HEAD}properties: {a: {type: json, display_name: A, json_schema: '{`, "'}}"),
  "block text of blank lines": filled("\n", `${HEAD}x: |\n`),
  "folded text of blank lines": filled(" \n", `${HEAD}x: >\n`),
  "block text ever deeper": `${HEAD}x: >\n${Array.from({ length: 680 }, (_, depth) => `${" ".repeat(depth + 1)}a`).join("\n")}`,
  "text over many lines": filled("  a\n", `${HEAD}x: a\n`),
  // Lines that are none.
  spaces: filled(" "),
  tabs: filled("\t"),
  "tabs below a key": filled("\t\n", "a:\n"),
  newlines: filled("\n"),
  "carriage returns": filled("\r"),
  "comments only": filled("# x\n"),
  "a comment": filled("#"),
  "byte order marks": filled("\uFEFF"),
  "zero bytes": filled("\0"),
  "line separators": filled("\u2028"),
  "lone surrogates": "\ud800".repeat(80_000),
  // Syntax.
  documents: filled("---\n"),
  "document ends": filled("...\n"),
  "documents with content": filled("---\na: 1\n"),
  directives: filled("%a b\n"),
  "a YAML 1.1 directive": `%YAML 1.1\n---\n${HEAD}`,
  tags: filled("!"),
  "tags with names": filled("!a "),
  "a binary tag": `${HEAD}description: !!binary aGVsbG8=\n`,
  "a set tag": `${HEAD}contributors: !!set {a, b}\n`,
  "a script tag": `${HEAD}description: !!js/function 'function(){}'\n`,
  "closing brackets": filled("]"),
  "closing braces": filled("}"),
  commas: filled(","),
  percents: filled("%"),
  "question marks": filled("?"),
  pipes: filled("|"),
  "pipes as values": filled("a: |\n"),
  ats: filled("@"),
  backticks: filled("`"),
  "a: b: c": filled("a: b: c\n"),
  "missing commas": filled("a b: c: ", "["),
  "quotes without commas": filled('x: "a" "b",\n', "a: [\n", "]"),
  "bad indentation": filled("  a: 1\n b: 2\n"),
  "object as a key": filled("{a: b}: c\n"),
  "list as a key": filled("? [a]\n: b\n"),
  "unclosed braces on each line": filled("a: {\n"),
  "mistakes up to the library's cap": '- "a" "b"\n'.repeat(3_700),
  "missing commas up to the cap": `[${"a b: c: ".repeat(2_400)}`,
  "bad indentation up to the cap": "  a: 1\n b: 2\n".repeat(2_300),
  html: "<html><body>hello</body></html>",
  "a zip file": "PK\u0003\u0004\u0014\u0000\u0000\u0000",
  nothing: "",
  null: "null",
  "a number": "42",
  "a text": "just a text",
  "a list": "- blueprint_spec: device/3.0",
  prototype: `${HEAD}__proto__: {polluted: true}\nconstructor: {prototype: {polluted: true}}\n`,
  "prototype as an id": `${HEAD}telemetry: {__proto__: {type: float, display_name: P}}\n`,
  "prototype in JSON": '{"__proto__": {"polluted": true}, "blueprint_spec": "device/3.0"}',
};

export const HOSTILE: readonly HostileDocument[] = Object.entries(DOCUMENTS).map(([name, text]) => ({ name, text }));
