import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { runTests, type TestFlags } from "#cli/blueprint/run-tests.ts";
import type { BrokenFile, TestResult } from "#cli/blueprint/test-result.ts";
import type { Cli } from "#cli/cli.ts";
import { UsageError } from "#cli/usage-error.ts";
import { splitTests } from "#core/rule/kept-tests.ts";
import type { TestedScript } from "#core/rule/tested-script.ts";
import { createRuleTester } from "#runtime/harness/rule/create-rule-tester.ts";
import { readTestedRule } from "#runtime/harness/rule/read-tested-rule.ts";
import { modulesBeside } from "./modules-beside.ts";

const SCENARIOS = /\.test\.ya?ml$/;
const RULE_ENDINGS = [".yml", ".yaml", ".lua"];
const MOST_BYTES = 1_048_576;

export async function testRules(cli: Cli, paths: readonly string[], flags: TestFlags): Promise<void> {
  const places = paths.length === 0 ? ["."] : paths;
  await runTests(cli, flags, {
    kind: "rule",
    sources: () => [...new Set(places.flatMap((path) => scenarioFiles(cli, path)))],
    nameOf: (file) => file,
    test: (file) => testFile(cli, file, flags),
    watched: () => places.map((path) => folderOf(resolve(cli.cwd, path))),
  });
}

const folderOf = (at: string): string => (existsSync(at) && statSync(at).isDirectory() ? at : dirname(at));

/** The files with scenarios that a path means: itself, those of a folder, or the one beside a rule. */
function scenarioFiles(cli: Cli, path: string): readonly string[] {
  const at = resolve(cli.cwd, path);
  if (!existsSync(at)) throw new UsageError(`there is no file or folder ${path}`);
  if (statSync(at).isDirectory()) {
    const names = readdirSync(at).filter((name) => SCENARIOS.test(name));
    if (names.length === 0) throw new UsageError(`${path} has no file named *.test.yml; see busbar rule test --help`);
    return names.sort().map((name) => join(path, name));
  }
  if (SCENARIOS.test(path)) return [path];
  const beside = [".test.yml", ".test.yaml"].map((ending) => path.slice(0, -extname(path).length) + ending);
  const found = beside.find((name) => existsSync(resolve(cli.cwd, name)));
  if (found !== undefined) return [found];
  if (keptTests(cli, path) === "") throw new UsageError(`${path} has no scenarios: write them into ${beside[0]}`);
  return [path];
}

async function testFile(cli: Cli, path: string, flags: TestFlags): Promise<TestResult> {
  const isKept = !SCENARIOS.test(path);
  const source = isKept ? keptTests(cli, path) : readText(cli, path);
  const file = isKept ? `${path} (tests)` : path;
  const { task, issues, rule } = readTestedRule({ source, file, scriptOf: (name) => scriptOf(cli, path, name) });
  const broken: BrokenFile[] = [];
  if (issues.length > 0) broken.push({ file, issues });
  const texts = new Map([[file, source]]);
  if (rule !== undefined) {
    texts.set(rule.script.name, rule.script.text);
    if (rule.issues.length > 0) broken.push({ file: rule.script.name, issues: rule.issues });
  }
  const paths = new Map([...texts.keys()].map((name) => [name, name === file ? path : name]));
  const known = { name: rule?.script.name ?? file, source: file, refused: undefined, broken, texts, paths };
  if (task === undefined) return { ...known, report: undefined, skipped: undefined };
  const { filter, verbose = false } = flags;
  // The error says if it took too much time or memory.
  const playing = createRuleTester()({ ...task, filter, isVerbose: verbose }, new AbortController().signal);
  const { scenarios } = await playing;
  if (scenarios.length === 0) return { ...known, report: undefined, skipped: "no scenario matches the filter" };
  return { ...known, report: { scenarios, problems: [], coverage: undefined }, skipped: undefined };
}

const languageOf = (path: string) => (extname(path).toLowerCase() === ".lua" ? "lua" : "yaml");

/** Of the text of a rule itself, as the page keeps them. */
const keptTests = (cli: Cli, file: string): string => splitTests(readText(cli, file), languageOf(file)).tests;

function readText(cli: Cli, file: string): string {
  const path = resolve(cli.cwd, file);
  try {
    if (statSync(path).size > MOST_BYTES) throw new UsageError(`${file} is larger than ${MOST_BYTES} bytes`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`cannot read ${file} (${error instanceof Error && "code" in error ? error.code : error})`);
  }
}

/** The rule that the scenarios name, from where they stand, or the one of the same name beside them. */
function scriptOf(cli: Cli, file: string, named: string | undefined): TestedScript | string {
  if (named === undefined && !SCENARIOS.test(file)) return testedFile(cli, file);
  const own = basename(file).replace(SCENARIOS, "");
  const names = named === undefined ? RULE_ENDINGS.map((ending) => own + ending) : [named];
  const paths = names.map((name) => join(dirname(file), name));
  const found = paths.find((path) => existsSync(resolve(cli.cwd, path)));
  if (found === undefined)
    return named === undefined
      ? `There is no ${names.join(", ")} beside it. Write \`rule: FILE\` or \`controller: {id: ...}\`.`
      : `There is no file ${named} here. It is looked for from the folder of the scenarios.`;
  return testedFile(cli, found);
}

function testedFile(cli: Cli, name: string): TestedScript {
  const [language, text] = [languageOf(name), readText(cli, name)] as const;
  const modules = language === "lua" ? modulesBeside(cli, name, text) : undefined;
  return { name, language, text, modules, intervalMs: undefined };
}
