import { expect, test } from "vitest";
import type { Issue } from "#core/blueprint/issue.ts";
import { parseManifest } from "#manifest/parse-manifest.ts";
import { roundsOf } from "../support/rounds.ts";
import { applyFix } from "./apply-fix.ts";
import { DEMO_LIBRARY } from "./demo-profiles.ts";
import { generateManifest } from "./generate-manifest.ts";
import { mutateManifest } from "./mutate-manifest.ts";
import { createRandom, type Random } from "./random.ts";
import { renderJson, renderYaml } from "./render-tree.ts";

const ROUNDS = roundsOf("manifests with wrong bytes");

const PIECES = [
  "\n",
  " ",
  "  ",
  "- ",
  ": ",
  "#",
  '"',
  "'",
  "[",
  "]",
  "{",
  "}",
  ",",
  "&a ",
  "*a",
  "|",
  ">",
  "\t",
  "---\n",
  "!",
  "%",
  "? ",
  "~",
  "<<: ",
  "\r\n",
  "\0",
  "\ud800",
  "é",
  "null",
  "1e999",
  "-0",
  "0x",
];

function scramble(text: string, random: Random): string {
  const at = random.below(text.length + 1);
  const cut = random.below(6);
  return text.slice(0, at) + (random.chance(0.7) ? random.pick(PIECES) : "") + text.slice(at + cut);
}

/** What is wrong with an issue itself; nothing, one hopes. */
function faultOf(lines: readonly string[], issue: Issue): string | undefined {
  const { start, end } = issue.range;
  if (!/^\S.*[.?)]$/s.test(issue.message)) return "its message is no sentence";
  if (end.line < start.line || (end.line === start.line && end.column < start.column))
    return "it ends before it begins";
  for (const { line, column } of [start, end]) {
    if (column > (lines[line - 1]?.length ?? -1) + 1) return "it lies outside the text";
  }
  const size = lines.reduce((sum, line) => sum + line.length + 1, -1);
  let last = 0;
  for (const edit of issue.fix?.edits ?? []) {
    if (edit.start < last || edit.end < edit.start || edit.end > size) return "its edits overlap or lie outside";
    last = edit.end;
  }
  return undefined;
}

test("whatever the text is: nothing is thrown, places lie inside it, and there is a blueprint exactly without errors", () => {
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = createRandom(seed);
    const { tree } = generateManifest(random);
    let text = random.chance(0.2) ? renderJson(tree, { random }) : renderYaml(tree, { random });
    for (let count = random.below(6); count >= 0; count -= 1) text = scramble(text, random);
    const { blueprint, issues } = parseManifest(text, { profiles: DEMO_LIBRARY });
    expect(blueprint === undefined).toBe(issues.some((issue) => issue.severity === "error"));
    const lines = text.split("\n");
    const faults = issues.map((issue) => ({ issue, fault: faultOf(lines, issue) })).filter(({ fault }) => fault);
    if (faults.length > 0) expect(faults, `seed ${seed}\n${text}`).toEqual([]);
  }
});

test("a fix removes its issue", () => {
  const mended = new Set<string>();
  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    const random = createRandom(seed);
    const manifest = generateManifest(random);
    const { twice } = mutateManifest(manifest, random);
    const text = random.chance(0.2)
      ? renderJson(manifest.tree, { random, twice })
      : renderYaml(manifest.tree, { random, twice });
    for (const issue of parseManifest(text).issues) {
      if (issue.fix === undefined) continue;
      const left = parseManifest(applyFix(text, issue.fix)).issues.map((each) => `${each.code} ${each.path}`);
      if (left.includes(`${issue.code} ${issue.path}`))
        expect.fail(`seed ${seed}: ${issue.fix.title} leaves ${issue.code}\n${text}`);
      // A fix may bring to light what else is wrong, but it must not break the document.
      if (left.some((each) => each.startsWith("yaml_syntax")))
        expect.fail(`seed ${seed}: ${issue.fix.title} breaks the text\n${applyFix(text, issue.fix)}`);
      mended.add(issue.code);
    }
  }
  expect(mended.size).toBeGreaterThanOrEqual(7);
});
