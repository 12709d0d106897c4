// `npm run check`: types, format + lint + layer fences, promise rules, dead code. Stops at the first that fails.
import { nodePath, root, run, say, setUp, toolPath } from "./setup.mjs";

setUp();
const node = nodePath();
const steps = [
  ["fences", ["scripts/fences.mjs", "--check"]],
  ["format, lint, fences", [toolPath("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."]],
  ["types", [toolPath("typescript", "bin", "tsc"), "--noEmit"]],
  [
    "types of the page",
    [
      "web/node_modules/svelte-check/bin/svelte-check",
      "--workspace",
      "web",
      "--tsconfig",
      "tsconfig.json",
      "--output",
      "human",
      "--fail-on-warnings",
    ],
  ],
  ["promise rules", [toolPath("oxlint", "bin", "oxlint"), "--type-aware", "--deny-warnings"]],
  ["dead code", [toolPath("knip", "bin", "knip.js")]],
];
for (const [name, args] of steps) {
  const began = Date.now();
  // tsgolint and biome find their native programs next to themselves; knip wants the checkout as its working directory.
  run(node, args);
  say(`${name}: ok (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}
say(`everything checked in ${root.split("/").at(-2)}`);
