// `npm run mutate -- src/core/command --sample 100`: changes the code in one place at a time, runs the nearby tests, and prints
// the changes that no test noticed. Nearby are the unit tests that import the file, directly or over others, and the tests of
// `test/` that import it directly; the nearest `--tests 6` of them run. `--sample` takes so many changes at random, the same ones
// for the same `--seed`. `src/core/command/execution.ts:119` takes the changes of one line. The file is changed where it is: do
// not edit it meanwhile.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parseSync } from "vite";
import { root } from "./setup.mjs";

process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules/.cache/busbar");
const OPERATORS = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===", "&&": "||", "||": "&&" };
const REMOVED = new Set(["ExpressionStatement", "ThrowStatement", "BreakStatement", "ContinueStatement"]);
/** Of one process with tests: many times of what the nearest ones take. */
const PROCESSOR_SECONDS = 120;
/** Of one test, which may wait for something that no longer comes. */
const HANGS_AFTER_MS = 300_000;
/** A child gets the files to test, and ends with 1 when a test fails. */
if (process.env["BUSBAR_MUTANT_TESTS"] !== undefined) await runTests(process.env["BUSBAR_MUTANT_TESTS"].split(","));
else process.exitCode = await main();

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      sample: { type: "string" },
      seed: { type: "string", default: "1" },
      tests: { type: "string", default: "6" },
    },
  });
  const lines = new Map(positionals.map((place) => [place.split(":")[0], place.split(":")[1]]));
  const sources = [...lines.keys()].flatMap((path) => (path.endsWith(".ts") ? [path] : globSync(`${path}/**/*.ts`)));
  const importers = readImporters();
  const all = sources
    .filter((path) => !path.endsWith(".test.ts"))
    .toSorted()
    .flatMap(mutantsOf)
    .filter(({ path, line }) => (lines.get(path) ?? `${line}`) === `${line}`);
  const mutants = sampleOf(all, Number(values.sample ?? all.length), Number(values.seed));
  /** The tests of each file. */
  const usable = new Map();
  const survivors = [];
  let killed = 0;
  for (const [index, mutant] of mutants.entries()) {
    const { path, line, what } = mutant;
    if (!usable.has(path)) usable.set(path, await passing(nearbyTests(importers, path).slice(0, Number(values.tests))));
    const tests = usable.get(path);
    const survives = tests.length === 0 || (await withMutant(mutant, () => passes(tests)));
    if (survives) survivors.push(mutant);
    else killed++;
    const place = `${path}:${line}`;
    console.log(`${index + 1}/${mutants.length} ${survives ? "SURVIVED" : "killed"} ${place}  ${what}`);
  }
  const score = ((100 * killed) / mutants.length).toFixed(1);
  console.log(`\n${killed} of ${mutants.length} changes noticed (${score} %), of ${all.length} possible; not noticed:`);
  const inOrder = survivors.toSorted((a, b) => a.path.localeCompare(b.path) || a.line - b.line);
  for (const { path, line, what } of inOrder) {
    const hint = nearbyTests(importers, path).length === 0 ? " (no nearby test)" : "";
    console.log(`${path}:${line}  ${what}${hint}`);
  }
  return 0;
}

/** Every change of a file: where, and what stands there instead. */
function mutantsOf(path) {
  const source = readFileSync(join(root, path), "utf8");
  const mutants = [];
  const replace = ({ start, end }, text) => {
    const before = source.slice(start, end).replaceAll(/\s+/g, " ");
    const line = source.slice(0, start).split("\n").length;
    mutants.push({ path, source, line, start, end, text, what: `${before.slice(0, 60)} -> ${text || "nothing"}` });
  };
  const visit = (node, parents) => {
    if (Array.isArray(node)) for (const child of node) visit(child, parents);
    if (typeof node?.type !== "string" || node.type === "ImportDeclaration") return;
    // Types are checked by the compiler; of `x as Y` the value is looked at.
    if (node.type.startsWith("TS")) return visit(node.expression, parents);
    const [parent, grandparent] = parents;
    const operator = OPERATORS[node.operator];
    if (operator !== undefined && node.right !== undefined) {
      const between = source.indexOf(node.operator, node.left.end);
      replace({ start: between, end: between + node.operator.length }, operator);
    }
    if (node.type === "UnaryExpression" && node.operator === "!")
      replace({ start: node.start, end: node.start + 1 }, "");
    if (node.type === "Literal" && typeof node.value === "number") {
      replace(node, String(node.value + 1));
      if (node.value !== 0) replace(node, String(node.value - 1));
    }
    if (node.type === "Literal" && typeof node.value === "boolean") replace(node, String(!node.value));
    if (node.type === "IfStatement" || node.type === "ConditionalExpression") {
      replace(node.test, "true");
      replace(node.test, "false");
    }
    const isEarly = parent?.type === "IfStatement" || grandparent?.type === "IfStatement";
    if (REMOVED.has(node.type) || (node.type === "ReturnStatement" && isEarly)) replace(node, ";");
    for (const [key, child] of Object.entries(node)) if (key !== "typeAnnotation") visit(child, [node, ...parents]);
  };
  visit(parseSync(path, source).program, []);
  return mutants;
}

/** So many at random, in the order of the code. */
function sampleOf(items, count, seed) {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const chosen = items.map((item, index) => ({ item, index, place: random() })).toSorted((a, b) => a.place - b.place);
  return chosen
    .slice(0, count)
    .toSorted((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

/** Which files import each file; imports of types do not count. */
function readImporters() {
  const importers = new Map();
  for (const path of globSync(["src/**/*.ts", "test/**/*.ts"], { cwd: root })) {
    const text = readFileSync(join(root, path), "utf8");
    // They need settings of their own (vitest.config.ts).
    if (text.includes("vi.mock(")) continue;
    for (const [, target = ""] of text.matchAll(/^(?:import|export)\s(?!type\b)[^;]*?from "([^"]+)"/gm)) {
      const file = target.startsWith("#") ? `src/${target.slice(1)}` : join(dirname(path), target);
      importers.set(file, [...(importers.get(file) ?? []), path]);
    }
  }
  return importers;
}

/** The nearest first. */
function nearbyTests(importers, path) {
  const seen = new Set([path]);
  const found = [];
  for (let near = [path], distance = 1; near.length > 0; distance++) {
    near = near.flatMap((one) => importers.get(one) ?? []).filter((one) => !seen.has(one) && seen.add(one));
    const isNearby = (one) => one.endsWith(".test.ts") && (one.startsWith("src/") || distance === 1);
    found.push(...near.filter(isNearby).toSorted());
  }
  const own = path.replace(/\.ts$/, ".test.ts");
  return found.toSorted((a, b) => Number(b === own) - Number(a === own));
}

/** Those that pass with the code as it is: some need settings of their own (vitest.config.ts), which they do not have here. */
async function passing(tests) {
  if (tests.length === 0 || (await passes(tests))) return tests;
  const found = [];
  for (const one of tests)
    if (await passes([one])) found.push(one);
    else console.log(`left out, because it fails without any change: ${one}`);
  return found;
}

async function withMutant({ path, source, start, end, text }, run) {
  const restore = () => writeFileSync(join(root, path), source);
  const stop = () => {
    restore();
    process.exit(130);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, stop);
  writeFileSync(join(root, path), source.slice(0, start) + text + source.slice(end));
  try {
    return await run();
  } finally {
    restore();
    for (const signal of ["SIGINT", "SIGTERM"]) process.off(signal, stop);
  }
}

/** A change may lead to an endless loop. Limits are of processor time, because a busy machine is slow, and that is no failure. */
async function passes(tests) {
  const env = { ...process.env, BUSBAR_MUTANT_TESTS: tests.join(",") };
  const args = [
    "-c",
    `ulimit -t ${PROCESSOR_SECONDS}; exec "$@"`,
    "sh",
    process.execPath,
    fileURLToPath(import.meta.url),
  ];
  const child = spawn("sh", args, { cwd: root, env, stdio: "ignore", detached: true });
  const [code] = await once(child, "exit");
  return code === 0;
}

async function runTests(files) {
  const { startVitest } = await import("vitest/node");
  const experimental = { viteModuleRunner: false, nodeLoader: false };
  const settings = { config: false, run: true, watch: false, bail: 1, isolate: false, maxWorkers: 1, experimental };
  const timeouts = { testTimeout: HANGS_AFTER_MS, hookTimeout: HANGS_AFTER_MS };
  await (await startVitest("test", files, { ...settings, ...timeouts })).close();
}
