// `npm test`: installs what is missing, checks the code, runs every test, and closes with a table of the slowest files and a
// line of counts.
// `npm test -- src/core` runs only the tests under a path and skips the check.
// `npm run test:long` is the same with many more random cases and kills.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { say } from "./say.mjs";
import { nodePath, root, run, setUp, toolPath } from "./setup.mjs";
import { installSystemPackages } from "./system-packages.mjs";

/** What gateways under test take to stop. */
const GRACE_MS = 12_000;

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
// A group of its own, so that an interrupted run leaves nothing behind: no worker, server, browser or gateway under test.
const tests = spawn(
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
  { cwd: root, stdio: ["ignore", "inherit", "inherit"], env, detached: true },
);
const signalAll = (signal) => {
  try {
    return process.kill(-tests.pid, signal);
  } catch {
    // The group is empty.
    return false;
  }
};
let isInterrupted = false;
const interrupt = () => {
  if (isInterrupted) return;
  isInterrupted = true;
  signalAll("SIGTERM");
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, interrupt);
// npm hands a signal to its shell, and that one dies of it without a word to us: a new parent means that we should stop.
const parent = process.ppid;
const watch = setInterval(() => process.ppid !== parent && interrupt(), 500);
const [status] = await once(tests, "exit");
clearInterval(watch);
for (let waited = 0; waited < GRACE_MS && signalAll(0); waited += 100) await sleep(100);
if (signalAll("SIGKILL")) say("a process of the tests went on after their end, and was killed");

const results = isInterrupted ? undefined : readReport();
rmSync(folder, { recursive: true });
if (results === undefined) process.exit(status || 1);
for (const name of missing) console.log(`not run: tests that need ${name} (see the line above that says why)`);
console.log(`${results.numPassedTests} passed, ${results.numFailedTests} failed, ${results.numPendingTests} skipped`);
process.exit(status ?? 1);

/** Undefined when the tests ended before they could write it. */
function readReport() {
  return existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : undefined;
}
