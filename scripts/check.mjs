// `npm run check`: types, format + lint + layer fences, promise rules, dead code. Two at a time, as half of them use one core
// only. Stops at the first that fails.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { say } from "./say.mjs";
import { nodePath, root, setUp, toolPath } from "./setup.mjs";

setUp();
const node = nodePath();
const biome = [toolPath("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."];
const svelteCheck = [
  "web/node_modules/svelte-check/bin/svelte-check",
  "--workspace",
  "web",
  "--tsconfig",
  "tsconfig.json",
  "--output",
  "human",
  "--fail-on-warnings",
];
// What is known of the files of the last check makes the next one take 5 to 14 s of processor time instead of 25.
const types = ["--noEmit", "--incremental", "--tsBuildInfoFile", "node_modules/.cache/types.tsbuildinfo"];
/** Each row runs from left to right. */
const rows = [
  [
    ["fences", ["scripts/fences.mjs", "--check"]],
    ["format, lint, fences", biome],
    ["types", [toolPath("typescript", "bin", "tsc"), ...types]],
    ["promise rules", [toolPath("oxlint", "bin", "oxlint"), "--type-aware", "--deny-warnings"]],
  ],
  [
    ["types of the page", svelteCheck],
    ["dead code", [toolPath("knip", "bin", "knip.js")]],
  ],
];
const running = new Set();

async function check([name, args]) {
  const began = Date.now();
  // tsgolint and biome find their native programs next to themselves; knip wants the checkout as its working directory.
  const step = spawn(node, args, { cwd: root, stdio: "inherit" });
  running.add(step);
  const [code] = await once(step, "exit");
  running.delete(step);
  if (code !== 0) {
    say(`failed: ${name} (${args.join(" ").replaceAll(root, "")})`);
    for (const other of running) other.kill();
    process.exit(code ?? 1);
  }
  say(`${name}: ok (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

await Promise.all(
  rows.map(async (row) => {
    for (const step of row) await check(step);
  }),
);
say(`everything checked in ${root.split("/").at(-2)}`);
