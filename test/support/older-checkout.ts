// An older version of this repository, from its own history: the latest release or, as long as there is none, the state before
// the newest migration of PostgreSQL.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const MIGRATIONS = "src/store/postgres/migrations";
/** What a node, a gateway and the tests' way to start them need. */
const PARTS = ["bin", "package.json", "src", "test/chaos", "test/support", "test/contract"];

type Older = { readonly commit: string } | { readonly missing: string };

/** Or why there is none that can be run here. */
export function findOlder(): Older {
  if (!existsSync(join(ROOT, ".git"))) return { missing: "this is no clone, so the older version is not here" };
  const newest = readdirSync(join(ROOT, MIGRATIONS)).sort().at(-1);
  const commit =
    tryGit("describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD^") ??
    tryGit("log", "--diff-filter=A", "--format=%H^", "-1", "--", `${MIGRATIONS}/${newest}`);
  if (commit === undefined || tryGit("cat-file", "-e", `${commit}:package.json`) === undefined) {
    return { missing: "this clone lacks the history with the older version: git fetch --unshallow --tags gets it" };
  }
  const needed: Record<string, string> = JSON.parse(git("show", `${commit}:package.json`)).dependencies;
  const lacking = Object.entries(needed).filter(([name, version]) => installed(name) !== version);
  if (lacking.length === 0) return { commit };
  return {
    missing: `the older version needs packages that are not installed: ${lacking.map((one) => one.join(" ")).join()}`,
  };
}

/** Its folder, for one test. It runs on the packages of this checkout. */
export function checkOut(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), "busbar-older-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const packed = execFileSync("git", ["archive", "--format=tar", commit, ...PARTS], { cwd: ROOT, maxBuffer: 1e9 });
  execFileSync("tar", ["-x", "-C", folder], { input: packed });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function installed(name: string): string | undefined {
  const file = join(ROOT, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).version : undefined;
}

function git(...words: readonly string[]): string {
  return execFileSync("git", words, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Undefined when it fails, or says nothing where something is expected. */
function tryGit(...words: readonly string[]): string | undefined {
  try {
    const said = git(...words);
    return said === "" && words[0] !== "cat-file" ? undefined : said;
  } catch {
    return undefined;
  }
}
