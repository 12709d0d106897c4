// Brings a checkout into a state in which Busbar runs: packages at the locked versions, and a Node that is new enough.
// Plain JavaScript that works on Node 20, because it runs before anything is installed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withProgress } from "./progress.mjs";
import { say } from "./say.mjs";

export const root = fileURLToPath(new URL("..", import.meta.url));
const NEEDED_NODE = 24;
const stampFile = join(root, "node_modules", ".busbar-setup");

/** Installs when something is missing or the lock file changed; costs a few milliseconds otherwise. */
export function setUp() {
  // A linked folder belongs to another checkout: installing here would empty it there.
  if (lstatSync(join(root, "node_modules"), { throwIfNoEntry: false })?.isSymbolicLink()) return;
  const wanted = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === wanted) return;
  withProgress("installing the locked packages (once, about a minute)", () =>
    run("npm", ["ci", "--no-audit", "--no-fund", "--no-progress", "--loglevel=error"]),
  );
  if (nodeMajor(nodePath()) < NEEDED_NODE) {
    fail(
      `Busbar runs on Node ${NEEDED_NODE} or newer. There is no bundled Node for ${process.platform}-${process.arch}: ` +
        `install Node ${NEEDED_NODE} and run the same command again.`,
    );
  }
  writeFileSync(stampFile, wanted);
}

/** The Node that runs Busbar: the pinned one when this platform has it, else the one that runs this script. */
export function nodePath() {
  const pinned = join(root, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  return existsSync(pinned) ? pinned : process.execPath;
}

/** Path of a tool's own program file, to be run with `nodePath()`. */
export function toolPath(...parts) {
  return join(root, "node_modules", ...parts);
}

export function fail(text) {
  say(text);
  process.exit(1);
}

/** Runs a program in the checkout with this terminal; ends this process with its exit code when it fails. */
export function run(command, args, env = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } });
  if (done.error) fail(`cannot run ${command}: ${done.error.message}`);
  if (done.status !== 0) {
    say(`failed: ${[command, ...args].join(" ").replaceAll(root, "")}`);
    process.exit(done.status ?? 1);
  }
}

function fingerprint() {
  const lock = readFileSync(join(root, "package-lock.json"));
  return `${process.platform}-${process.arch} ${createHash("sha256").update(lock).digest("hex")}\n`;
}

function nodeMajor(node) {
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout ?? "";
  return Number(/^v(\d+)/.exec(version)?.[1] ?? 0);
}
