// `npm test`: installs what is missing, checks the code, runs every test, and closes with a table of the slowest files and a
// line of counts.
// `npm test -- src/core` runs only the tests under a path and skips the check.
// `npm run test:long` is the same with many more random cases and kills.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { nodePath, root, run, setUp, toolPath } from "./setup.mjs";
import { installSystemPackages } from "./system-packages.mjs";

setUp();
const isLong = process.argv.includes("--long");
const only = process.argv.slice(2).filter((argument) => argument !== "--long");
if (only.length === 0) {
  // The browser tests need it, and would wait for it. If it fails here, they say so.
  const page = once(spawn(nodePath(), ["scripts/build-page.mjs"], { cwd: root, stdio: "inherit" }), "exit");
  run(nodePath(), ["scripts/check.mjs"]);
  await page;
}
const missing = installSystemPackages();

const folder = mkdtempSync(join(tmpdir(), "busbar-test-"));
const report = join(folder, "report.json");
const env = { ...process.env, BUSBAR_TEST_MISSING: missing.join(","), ...(isLong && { BUSBAR_LONG: "1" }) };
const tests = spawnSync(
  nodePath(),
  [
    toolPath("vitest", "vitest.mjs"),
    "run",
    "--reporter=default",
    "--reporter=json",
    "--reporter=./scripts/slowest-files.mjs",
    `--outputFile.json=${report}`,
    ...only,
  ],
  { cwd: root, stdio: "inherit", env },
);
const { numPassedTests, numFailedTests, numPendingTests } = JSON.parse(readFileSync(report, "utf8"));
rmSync(folder, { recursive: true });
for (const name of missing) console.log(`not run: tests that need ${name} (see the line above that says why)`);
console.log(`${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
process.exit(tests.status ?? 1);
