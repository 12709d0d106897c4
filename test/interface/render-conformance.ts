// The page docs/conformance.md: each sentence of the contract beside the check that holds it.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DECISIONS, INTERFACE } from "./register.ts";
import type { Section } from "./sentence.ts";

const TESTS = join(import.meta.dirname, "..");

/** The files that check a sentence, by its id. */
export type Checks = ReadonlyMap<string, readonly string[]>;

/** Found in the text of the test files, so that the page needs no run of them. */
export function findChecks(): Checks {
  const checks = new Map<string, string[]>();
  for (const file of globSync("{api,interface}/**/*.test.ts", { cwd: TESTS }).sort()) {
    const text = readFileSync(join(TESTS, file), "utf8");
    for (const [, id = ""] of text.matchAll(/^ *check\w*\(\s*"([^"]+)"/gm)) {
      const files = checks.get(id) ?? [];
      if (!files.includes(file)) files.push(file);
      checks.set(id, files);
    }
  }
  return checks;
}

export function renderConformance(checks: Checks): string {
  const sections: readonly Section[] = [...INTERFACE, ...DECISIONS];
  const sentences = sections.flatMap(({ id, sentences }) => Object.keys(sentences).map((name) => `${id}.${name}`));
  const checked = sentences.filter((id) => checks.has(id)).length;
  return `${HEAD}
${sentences.length} sentences, ${checked} with a check.

## The interface

${INTERFACE.map((section) => renderSection(section, checks)).join("\n")}
## Where the interface says nothing

${DECISIONS.map((section) => renderSection(section, checks)).join("\n")}`;
}

const HEAD = `# Conformance

What Busbar promises about its interface, sentence by sentence, and the check that holds each promise. A check runs
against a real server: over HTTP, MQTT, or with a Lua script. Its title is its name and the sentence, so
\`npm test -- test/api test/interface -t <name>\` runs it alone.

The test suite makes this page from [the register of sentences](../test/interface/register.ts) and the checks of \`test/api\` and \`test/interface\`.
\`npm test -- test/interface/conformance.test.ts -u\` writes it anew.
`;

function renderSection(section: Section, checks: Checks): string {
  const rows = Object.entries(section.sentences).map(([name, sentence]) => {
    const id = `${section.id}.${name}`;
    const files = (checks.get(id) ?? []).map((file) => `[${file}](../test/${file})`).join(", ");
    return `| ${escapeMarkdown(sentence)} | \`${id}\` | ${files} |`;
  });
  return `### ${section.title}\n\n| sentence | check | where |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\|<*[\]]/g, (one) => `\\${one}`);
}
