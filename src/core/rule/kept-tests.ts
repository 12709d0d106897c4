// Scenarios that are kept in the text of a rule: comments at its end, below a line that says so. Whatever reads or runs the rule
// passes over them, so they go wherever the rule goes.
import type { TestedScript } from "./tested-script.ts";

type Language = TestedScript["language"];

export interface RuleWithTests {
  /** Without the tests. */
  readonly text: string;
  /** Empty: none are kept. */
  readonly tests: string;
}

const MARKS: Readonly<Record<Language, string>> = { yaml: "#", lua: "--" };
const TITLE = "tests:";

export function splitTests(source: string, language: Language): RuleWithTests {
  const mark = MARKS[language];
  const lines = source.replaceAll("\r\n", "\n").trimEnd().split("\n");
  let begin = lines.length;
  while (begin > 0 && lines[begin - 1]?.startsWith(mark)) begin -= 1;
  const title = lines.indexOf(`${mark} ${TITLE}`, begin);
  if (title < 0) return { text: source, tests: "" };
  const kept = lines.slice(title + 1).map((line) => line.slice(mark.length).replace(/^ /, ""));
  const above = lines.slice(0, title).join("\n").trimEnd();
  return { text: above === "" ? "" : `${above}\n`, tests: kept.length === 0 ? "" : `${kept.join("\n")}\n` };
}

export function joinTests({ text, tests }: RuleWithTests, language: Language): string {
  const mark = MARKS[language];
  const lines = tests.replaceAll("\r\n", "\n").trimEnd().split("\n");
  if (lines.every((line) => line.trim() === "")) return text;
  const block = lines.map((line) => `${mark} ${line}`.trimEnd());
  return [text.trimEnd(), "", `${mark} ${TITLE}`, ...block, ""].join("\n");
}
