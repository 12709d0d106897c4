// The result of tests as JUnit XML, which build servers read. A blueprint, or a file with scenarios of a rule, is a suite and a
// scenario is a case. Times are virtual seconds of the scenarios.
import type { ScenarioReport } from "#core/scenario/test-report.ts";
import { renderReport } from "./lint-report.ts";
import { describeScenario } from "./test-report.ts";
import type { TestResult } from "./test-result.ts";

interface Case {
  readonly name: string;
  readonly file: string;
  readonly seconds: number;
  readonly outcome: Outcome | undefined;
}

/** Undefined for a case that passed. */
interface Outcome {
  readonly element: "failure" | "error" | "skipped";
  readonly message: string;
  readonly details: string;
}

export function renderTestJunit(results: readonly TestResult[], title: string): string {
  const suites = results.map((result) => ({ name: result.name, cases: casesOf(result) }));
  const all = suites.flatMap(({ cases }) => cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${title}"${counts(all)}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${attribute(name)}"${counts(cases)}>`,
      ...cases.flatMap(renderCase),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ].join("\n");
}

function casesOf(result: TestResult): readonly Case[] {
  const { source, refused, broken, report, skipped, texts, paths } = result;
  const whole = (name: string, outcome: Outcome | undefined): Case => ({ name, file: source, seconds: 0, outcome });
  if (refused !== undefined) {
    const message = refused.issues.map((issue) => issue.message).join(" ");
    return [whole("is a valid blueprint", { element: "error", message, details: renderReport([refused], false) })];
  }
  if (skipped !== undefined)
    return [whole("has something to run", { element: "skipped", message: skipped, details: "" })];
  const unreadable = broken.map(({ file, issues }): Case => {
    const details = issues.map(({ range, message }) => `${file}:${range.start.line}:${range.start.column} ${message}`);
    const outcome: Outcome = { element: "error", message: "cannot be read", details: details.join("\n") };
    return { name: file, file: paths.get(file) ?? file, seconds: 0, outcome };
  });
  const scenarios = (report?.scenarios ?? []).map(
    (one): Case => ({
      name: one.name,
      file: one.file === undefined ? source : (paths.get(one.file) ?? one.file),
      seconds: one.elapsed / 1000,
      outcome: outcomeOf(one, texts),
    }),
  );
  const problems = (report?.problems ?? []).map(({ message }) => message);
  const outcome: Outcome = { element: "failure", message: problems.join("; "), details: problems.join("\n") };
  const handlers = whole("commands and their handlers", problems.length === 0 ? undefined : outcome);
  return [...unreadable, ...scenarios, ...(report?.coverage === undefined ? [] : [handlers])];
}

function outcomeOf(report: ScenarioReport, texts: TestResult["texts"]): Outcome | undefined {
  const [first] = report.failures;
  if (first === undefined) return undefined;
  const { message, expected, actual } = first;
  const compared = expected === undefined ? "" : `: expected ${expected}, came ${actual ?? "nothing"}`;
  return { element: "failure", message: `${message}${compared}`, details: describeScenario(report, texts) };
}

function renderCase({ name, file, seconds, outcome }: Case): readonly string[] {
  const head = `    <testcase name="${attribute(name)}" classname="${attribute(file)}" file="${attribute(file)}" time="${seconds}"`;
  if (outcome === undefined) return [`${head}/>`];
  const { element, message, details } = outcome;
  const opened = `      <${element} message="${attribute(message)}"`;
  return [
    `${head}>`,
    details === "" ? `${opened}/>` : `${opened}>${escapeXml(details)}</${element}>`,
    "    </testcase>",
  ];
}

function counts(cases: readonly Case[]): string {
  const of = (element: Outcome["element"]) => cases.filter(({ outcome }) => outcome?.element === element).length;
  const time = cases.reduce((sum, { seconds }) => sum + Math.round(seconds * 1000), 0) / 1000;
  return ` tests="${cases.length}" failures="${of("failure")}" errors="${of("error")}" skipped="${of("skipped")}" time="${time}"`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot hold them, not even escaped
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\t": "&#9;",
  "\r": "&#13;",
};

function attribute(text: string): string {
  return escapeXml(text).replaceAll("\n", "&#10;");
}

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(FORBIDDEN, "\ufffd")
    .replace(/[&<>"\t\r]/g, (character) => ENTITIES[character] ?? "");
}
