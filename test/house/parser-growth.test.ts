// Every parser of ours that reads a stranger's text takes time in proportion to its length. Each is given hostile texts of
// two sizes: one text may take about as long as 16 texts of a sixteenth of its size, where a quadratic parser takes 16 times
// as long.
import { expect, test } from "vitest";
import { tokenIdOf } from "#core/access/token.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { slugOf } from "#core/device/slug.ts";
import { parseHardwarePort } from "#core/hardware/hardware-port.ts";
import { lintScripts } from "#core/lua/lint/lint-scripts.ts";
import { parseLua } from "#core/lua/parse-lua.ts";
import { parseDependency, parseRockVersion } from "#core/lua/rock-version.ts";
import { readRockspec } from "#core/lua/rockspec.ts";
import { scanRequires } from "#core/lua/scan-requires.ts";
import { parseRange } from "#core/net/address.ts";
import { parseReachRule } from "#core/net/reach-rule.ts";
import { redactText } from "#core/redact.ts";
import { CsvReader, readHeaderCell } from "#core/telemetry/read-csv.ts";
import { jsonExcess } from "#core/text/json-excess.ts";
import { nearestOf } from "#core/text/nearest.ts";
import { printable } from "#core/text/printable.ts";
import { parseDuration } from "#core/time/duration.ts";
import { parseInstant } from "#core/time/instant.ts";
import { formatProblem } from "#core/value/string-format.ts";
import { hostApi } from "#drivers/host-api.ts";
import { jsonSchemaProblem } from "#manifest/json-schema-problem.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { parseUnit } from "#manifest/units.ts";
import { readJsonObject } from "#mqtt/bounded-json.ts";
import { filterMatches, isTopicLevel, parseDeviceTopic } from "#mqtt/topics.ts";
import { createEvaluator } from "#runtime/lua/evaluate-lua.ts";
import { createJsonReader } from "#runtime/lua/json-reader.ts";
import { packageBytes } from "#service/blueprint/package-bytes.ts";
import { findDirectory } from "#service/blueprint/zip-layout.ts";
import { idempotencyKey, waitOf } from "#service/command/command-headers.ts";
import { compileBody } from "#service/operation/body.ts";
import { choice, dateTime, duration, list, listOf, mapOf, parseQuery } from "#service/operation/query.ts";

function readAll(text: string): void {
  const reader = createJsonReader(text);
  while (reader.step() === undefined);
}

function parsedManifest(text: string): Blueprint {
  const { blueprint } = parseManifest(text);
  if (blueprint === undefined) throw new Error("the manifest has errors");
  return blueprint;
}

/** A unit of the text is no Lua by itself: repeated as a statement, it is read to its end. */
function lintLua(text: string): unknown {
  const files = [text, `${text.slice(0, 12).replaceAll(/[^\w.]/g, "x")} = enapter.x(1);\n`.repeat(text.length >> 5)];
  return lintScripts({
    hostApi,
    files: files.map((one, index) => ({ path: `${index}.lua`, text: one, isOwn: true })),
    blueprint: pump,
    isComplete: true,
    libraryAt: () => undefined,
  });
}

interface Parser {
  readonly parse: (text: string) => unknown;
  /** What each hostile text begins with: so far it is right. */
  readonly starts: readonly string[];
  /** For one that is slow anyway. */
  readonly size?: number;
}

const UNITS = [
  ..."\"'\\[]{}(),;:-/.=#%&*+?|@~<> \n\r\t\u0000a9é",
  ...['\\"', '""', '"a",', '","', "[[", "[=", "--[[", "{a: ", "a:\n ", "- ", "-\n", " #", "a b", ": a\n", "&a ", "*a "],
  ...["1h", "9.", "1.5", "a.", "+/", "a/", "://", "://a:", "a@", "\\u00", "\r\n", "NaN", "Infinity,", '{"a":', "%7B"],
  ...["'' ", "|\n", ">-\n ", "a=b ", "wait = ", "a1-", "::", "0x", "e9", "\\\n", "{}", "_9", "?a", "<<: ", '"b":1,'],
];

const bytes = (text: string) => Buffer.from(text);
const head = "blueprint_spec: device/3.0\ndisplay_name: X\nruntime: {type: embedded}\n";
const pump = parsedManifest(head.replace("embedded", "lua"));
const body = compileBody({ type: "object", properties: { name: { type: "string" } }, additionalProperties: true });
const query = {
  word: choice("", ["one", "two"]),
  words: listOf("", ["one", "two"]),
  list: list(""),
  time: dateTime(""),
  span: duration(""),
  "map[]": mapOf(""),
};

const evaluate = createEvaluator();

const PARSERS: Readonly<Record<string, Parser>> = {
  "the JSON limits": { parse: (text) => jsonExcess(text, { depth: 1e9, values: 1e9 }), starts: ["", '{"a":"'] },
  "JSON of devices": {
    parse: (text) => readJsonObject(bytes(text)),
    starts: ["", '{"a":NaN,"b":"', '{"a":NaN,', '{"a":NaN,"b":', '{"a":"Infinity'],
  },
  "JSON bodies": { parse: (text) => body(bytes(text)), starts: ["", '{"name":"', '{"name":', '{"name":1,'] },
  "JSON of scripts": { parse: readAll, starts: ["", '{"a":"', '["'] },
  manifests: {
    parse: (text) => parseManifest(text),
    starts: ["", head, `${head}x: "`],
    size: 6_144,
  },
  "JSON schemas": { parse: jsonSchemaProblem, starts: ["", '{"pattern":"'] },
  units: { parse: parseUnit, starts: ["", "k", "m{", "["] },
  durations: { parse: parseDuration, starts: ["", "1"] },
  instants: { parse: parseInstant, starts: ["", "2026-01-01T00:00:00."] },
  CSV: { parse: (text) => readCsv([text]), starts: ["", '"', 'a,"', "a\n"] },
  "CSV in pieces": { parse: (text) => readCsv(piecesOf(text, 97)), starts: ["", '"'] },
  "CSV headers": { parse: readHeaderCell, starts: ["", "telemetry="] },
  "MQTT topics": { parse: (text) => [parseDeviceTopic(text), isTopicLevel(text)], starts: ["", "v1/from/a/b/"] },
  "MQTT filters": { parse: (text) => filterMatches(`+/${text}x`, `a/${text}`), starts: ["", "a/"] },
  rockspecs: {
    parse: (text) => readRockspec(evaluate, text),
    starts: ["", 'package = "', "dependencies = {", "x = [["],
  },
  "Lua sources": { parse: scanRequires, starts: ["", "require '", "--[==["] },
  "Lua syntax": { parse: parseLua, starts: ["", "return ", "f(", "x = {", "goto a ", "local a = "] },
  "Lua lint": { parse: lintLua, starts: ["a = 1 ", "return a.b", "enapter.x(", "local a = b."], size: 4_096 },
  "rock dependencies": { parse: (text) => [parseDependency(text), parseRockVersion(text)], starts: ["", "lua >= "] },
  "queries, by value": {
    parse: (text) => parseQuery(query, { word: text, words: text, list: text, time: text, span: text, "map[a]": text }),
    starts: ["", "one,"],
  },
  "queries, by name": { parse: (text) => parseQuery(query, { [text]: "x" }), starts: ["", "map["] },
  slugs: { parse: (text) => slugOf(text), starts: ["", "a"] },
  "texts of the log": { parse: redactText, starts: ["", "http://", "bb_", "http://a:"] },
  "texts of people": { parse: printable, starts: [""] },
  suggestions: { parse: (text) => nearestOf(text, [text.slice(1), "word"]), starts: [""] },
  "Prefer headers": { parse: (text) => waitOf({ header: () => text }), starts: ["", "wait=", ", "] },
  "idempotency keys": { parse: (text) => idempotencyKey({ header: () => text }), starts: ["", "a"] },
  "form headers": {
    parse: (contentType) => packageBytes({ body: new Uint8Array(10), contentType }),
    starts: ["multipart/form-data", "multipart/form-data;", "multipart/form-data; boundary="],
  },
  forms: {
    parse: (text) => packageBytes({ body: bytes(text), contentType: "multipart/form-data; boundary=a" }),
    starts: ["", "--a\r\n", "--a\r\n\r\n\r\n"],
  },
  "ZIP directories": { parse: (text) => findDirectory(bytes(text)), starts: ["", "PK\u0005\u0006"] },
  addresses: {
    parse: (text) => [parseRange(text), parseReachRule(text), parseHardwarePort(text)],
    starts: ["", "::", "1"],
  },
  tokens: { parse: tokenIdOf, starts: ["", "bb_"] },
  formats: {
    parse: (text) => FORMATS.map((format) => formatProblem(format, text)),
    starts: ["", "a:", "a@", "a.", "12:00:00.", "http:"],
  },
};

const FORMATS = ["uri", "url", "date", "time", "duration", "timezone", "email", "hostname", "ipv4", "ipv6", "uuid"];
const LARGE = 16_384;
const PARTS = 16;
/** Of processor time. A quadratic parser takes far longer for the larger text, so below it nothing need be compared. */
const NOTEWORTHY_MS = 15;
/** Between 1, which is linear, and 16. */
const MOST_GROWTH = 5;
const ROUNDS = 3;

test.each(Object.keys(PARSERS))("the time for %s grows no faster than their length", (name) => {
  const { starts, ...parser } = PARSERS[name] as Parser;
  const texts = starts.flatMap((start) => UNITS.map((unit) => [start, unit] as const));
  expect(texts.find(([start, unit]) => !isLinear(parser, start, unit))).toBeUndefined();
});

test("a quadratic parser is found", () => {
  // Reads on from each quote to the end, one character at a time: the engine's own searches are too fast to show growth.
  const parse = (text: string) => {
    let found = 0;
    for (let from = 0; from < text.length; from++) {
      if (text[from] !== '"') continue;
      for (let at = from; at < text.length; at++) found += text.charCodeAt(at);
    }
    return found;
  };
  expect(isLinear({ parse, size: 8_192 }, "", '"')).toBe(false);
  expect(isLinear({ parse, size: 8_192 }, "", "a")).toBe(true);
});

function isLinear({ parse, size: largest = LARGE }: Omit<Parser, "starts">, start: string, unit: string): boolean {
  const textOf = (size: number) => start + unit.repeat(Math.ceil(size / unit.length));
  const large = [textOf(largest)];
  let slow = timeOf(parse, large);
  if (slow < NOTEWORTHY_MS) return true;
  // What the machine or the engine did beside one run is no growth: only what is slow each time is.
  const small = Array.from({ length: PARTS }, () => textOf(largest / PARTS));
  let quick = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    quick = Math.max(quick, timeOf(parse, small));
    if (slow < MOST_GROWTH * quick) return true;
    slow = Math.min(slow, timeOf(parse, large));
    if (slow < NOTEWORTHY_MS) return true;
  }
  return false;
}

/** Milliseconds that this thread itself has worked: what else the machine does counts little. */
function timeOf(parse: Parser["parse"], texts: readonly string[]): number {
  const before = process.threadCpuUsage();
  for (const text of texts) {
    try {
      parse(text);
    } catch {
      // A refusal is an answer too.
    }
  }
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

function readCsv(pieces: Iterable<string>): number {
  const reader = new CsvReader();
  let rows = 0;
  for (const piece of pieces) for (const _ of reader.push(piece)) rows++;
  return reader.end() === undefined ? rows : rows + 1;
}

function* piecesOf(text: string, length: number): Iterable<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length);
}
