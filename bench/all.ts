// Every benchmark once, on a machine that does nothing else: one table with goals, and a dated JSON file that the next run
// is compared with. It takes about 30 minutes.
//   npm run bench -- all [--only http,energy] [--against bench/results/2026-11-18T10-00-00.json] [--quick]
// Without `--against`, the newest figures in bench/results of a machine like this one that was quiet are taken. `--quick` has
// the smallest sizes: it only shows that everything runs, and no later run is compared with it. One that fails leaves its
// figures out, and the exit code is 1.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { GOALS, type Goal, QUICK_SIZES, RUNS } from "./all/goals.ts";

const BENCH = fileURLToPath(new URL(".", import.meta.url));
const RESULTS = join(BENCH, "results");
/** A busier machine says little. */
const QUIET_LOAD = 0.5;

/** Figures by their places, joined by dots. */
type Figures = Readonly<Record<string, number>>;
interface Result {
  readonly at: string;
  readonly machine: string;
  readonly load: number;
  /** Of the smallest sizes, which say nothing about speed. */
  readonly isQuick?: boolean;
  readonly failed?: readonly string[];
  readonly figures: Figures;
}

const { values } = parseArgs({
  options: { only: { type: "string" }, against: { type: "string" }, quick: { type: "boolean", default: false } },
});
const only = values.only?.split(",");
const unknown = only?.filter((name) => !RUNS.some((run) => run.name === name)) ?? [];
if (unknown.length > 0) {
  throw new Error(
    `there is no benchmark ${unknown.join(", ")} here; there are: ${RUNS.map(({ name }) => name).join(", ")}`,
  );
}
const machine = `${process.platform}-${process.arch}, ${availableParallelism()} cores`;
const before = readEarlier();
const load = loadavg()[0] ?? 0;
if (load > QUIET_LOAD) say(`the load of this machine is ${load.toFixed(1)}: ratios may be right, times are not`);

let figures: Figures = {};
const failed: string[] = [];
for (const run of RUNS.filter(({ name }) => only?.includes(name) ?? true)) {
  const { name } = run;
  const begun = performance.now();
  const variables = values.quick ? QUICK_SIZES : run.variables;
  const lines = await runBench(name, values.quick ? run.quick : run.words, variables);
  for (const line of lines) figures = { ...figures, ...flatten(nameOf(line, name), line) };
  say(`${name}: ${Math.round((performance.now() - begun) / 1_000)} s`);
}
const result: Result = { at: new Date().toISOString(), machine, load, isQuick: values.quick, failed, figures };
mkdirSync(RESULTS, { recursive: true });
const file = join(RESULTS, `${result.at.slice(0, 19).replaceAll(":", "-")}.json`);
writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
say(`\n${table(figures, before)}\n\nwritten to ${file}`);
console.log(JSON.stringify({ bench: "all", at: result.at, machine, failed, ...counts(figures) }));
if (failed.length > 0) process.exitCode = 1;

/** The lines of JSON that a benchmark prints. One that fails is named, and the others still run. */
async function runBench(
  name: string,
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<readonly object[]> {
  const child = spawn(process.execPath, [...process.execArgv, join(BENCH, `${name}.ts`), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, ...variables },
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  if (code !== 0) {
    failed.push(name);
    say(`${name} failed with ${code}: its figures are missing`);
  }
  return output
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as object);
}

/** `web paint` and its like print several lines. */
function nameOf(line: object, name: string): string {
  const own = "bench" in line ? String(line.bench) : name;
  return own.replaceAll(" ", ".");
}

function flatten(place: string, value: unknown): Figures {
  if (typeof value === "number") return { [place]: value };
  if (typeof value !== "object" || value === null) return {};
  return Object.assign({}, ...Object.entries(value).map(([key, item]) => flatten(`${place}.${key}`, item))) as Figures;
}

/** The newest figure of each place: a run may have measured only some. */
function readEarlier(): Figures {
  const readResult = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Result;
  if (values.against !== undefined) return readResult(values.against).figures;
  mkdirSync(RESULTS, { recursive: true });
  const files = readdirSync(RESULTS)
    .filter((name) => name.endsWith(".json"))
    .sort();
  const isLike = (one: Result) => one.machine === machine && one.isQuick !== true && one.load <= QUIET_LOAD;
  const alike = files.map((name) => readResult(join(RESULTS, name))).filter(isLike);
  return Object.assign({}, ...alike.map((one) => one.figures)) as Figures;
}

/** The figure, or its ratio to another one of the same run. */
function figureOf({ figure, over }: Goal, all: Figures): number | undefined {
  const [value, other] = [all[figure], over === undefined ? 1 : all[over]];
  if (value === undefined || other === undefined || other === 0) return undefined;
  return over === undefined ? value : Math.round((value / other) * 100) / 100;
}

function isMet({ goal }: Goal, value: number): boolean | undefined {
  if (goal === undefined) return undefined;
  return "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
}

function counts(all: Figures): { readonly met: number; readonly missed: number; readonly figures: number } {
  const judged = GOALS.flatMap((goal) => {
    const value = figureOf(goal, all);
    return value === undefined ? [] : (isMet(goal, value) ?? []);
  });
  const met = judged.filter(Boolean).length;
  return { met, missed: judged.length - met, figures: Object.keys(all).length };
}

function table(all: Figures, earlier: Figures): string {
  const head = ["", "now", "goal", "", "before", ""];
  const rows = GOALS.flatMap((goal) => {
    const [now, then] = [figureOf(goal, all), figureOf(goal, earlier)];
    if (now === undefined) return [];
    const met = isMet(goal, now);
    return [
      [
        goal.label,
        `${now} ${goal.unit}`.trim(),
        goal.goal === undefined ? "" : "atMost" in goal.goal ? `<= ${goal.goal.atMost}` : `>= ${goal.goal.atLeast}`,
        met === undefined ? "" : met ? "met" : "missed",
        then === undefined ? "" : String(then),
        then === undefined || then === 0 ? "" : `x ${(now / then).toFixed(2)}`,
      ],
    ];
  });
  const lines = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
