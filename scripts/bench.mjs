// `npm run bench -- <name>` runs bench/<name>.ts on the pinned Node; without a name it lists them.
// Each benchmark prints one JSON line: what it measured, and ratios against a baseline taken in the same run.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { say } from "./say.mjs";
import { fail, nodePath, root, run, setUp } from "./setup.mjs";
import { installBenchPackages } from "./system-packages.mjs";

const names = readdirSync(join(root, "bench"))
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.slice(0, -3));
const [name, ...flags] = process.argv.slice(2);
if (name === undefined) {
  console.log(names.join("\n"));
  process.exit(0);
}
if (!names.includes(name)) fail(`there is no benchmark ${name}; there are: ${names.join(", ")}`);

setUp();
const missing = installBenchPackages();
if (missing.length > 0) say(`without ${missing.join(", ")} a benchmark that needs it does not run`);
// What a benchmark runs in its own process runs on the engine's settings of bin/busbar that concern it.
const engine = ["--disable-warning=ExperimentalWarning", "--no-wasm-code-gc"];
run(nodePath(), [...engine, join("bench", `${name}.ts`), ...flags]);
