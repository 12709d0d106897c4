// scripts/release.mjs in real git repositories.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempFolder } from "../support/temp-folder.ts";

const SCRIPT = fileURLToPath(new URL("../../scripts/release.mjs", import.meta.url));
const INTRO = "# Changelog\n\nWhat changed.\n\n";
const CHANGES = "### Added\n\n- A new verb.\n";
/** Nothing of the machine's own git settings. */
const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };

function repository(changelog = `${INTRO}## Unreleased\n\n${CHANGES}\n## 0.1.0 - 2026-01-02\n\n- The first one.\n`) {
  const folder = tempFolder();
  const path = (name: string) => join(folder, name);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env, encoding: "utf8" }).trim();
  mkdirSync(path("web"));
  writeFileSync(path("package.json"), `${JSON.stringify({ name: "busbar", version: "0.1.0" }, undefined, 2)}\n`);
  writeFileSync(
    path("web/package.json"),
    `${JSON.stringify({ name: "@busbar/web", version: "0.1.0" }, undefined, 2)}\n`,
  );
  const packages = { "": { version: "0.1.0" }, web: { version: "0.1.0" }, "node_modules/a": { version: "0.1.0" } };
  writeFileSync(path("package-lock.json"), `${JSON.stringify({ version: "0.1.0", packages }, undefined, 2)}\n`);
  writeFileSync(path("CHANGELOG.md"), changelog);
  git("init", "--quiet", "--initial-branch", "main");
  git("config", "user.name", "Somebody");
  git("config", "user.email", "somebody@example.org");
  git("add", ".");
  git("commit", "--quiet", "--message", "Begin");
  return {
    path,
    git,
    read: (name: string) => readFileSync(path(name), "utf8"),
    release: (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
        cwd: path("web"),
        env,
        encoding: "utf8",
      });
      return { status, stdout, stderr };
    },
    state: () => [git("rev-parse", "HEAD"), git("status", "--porcelain"), git("tag", "--list")],
  };
}
type Repository = ReturnType<typeof repository>;

test("a release moves the changes under the version, sets it in all packages, commits and tags", () => {
  const { release, read, git } = repository();
  expect(release("0.2.0")).toMatchObject({ status: 0, stderr: "" });
  expect(read("CHANGELOG.md")).toMatch(
    /^# Changelog\n\nWhat changed.\n\n## Unreleased\n\n## 0\.2\.0 - \d{4}-\d\d-\d\d\n\n### Added\n\n- A new verb.\n\n## 0\.1\.0 - 2026-01-02\n\n- The first one.\n$/,
  );
  expect(JSON.parse(read("package.json"))).toEqual({ name: "busbar", version: "0.2.0" });
  expect(JSON.parse(read("web/package.json"))).toEqual({ name: "@busbar/web", version: "0.2.0" });
  expect(JSON.parse(read("package-lock.json"))).toEqual({
    version: "0.2.0",
    packages: { "": { version: "0.2.0" }, web: { version: "0.2.0" }, "node_modules/a": { version: "0.1.0" } },
  });
  expect(git("status", "--porcelain")).toBe("");
  expect(git("log", "-1", "--format=%s")).toBe("Release 0.2.0");
  expect(git("cat-file", "-t", "v0.2.0")).toBe("tag");
  expect(git("rev-parse", "v0.2.0^{commit}")).toBe(git("rev-parse", "HEAD"));
});

test("the first release has the version that the packages have already", () => {
  const { release, read } = repository(
    `${INTRO}## Unreleased\n\nThis will become 0.1.0, the first version.\n\n${CHANGES}`,
  );
  expect(release("0.1.0").status).toBe(0);
  expect(read("CHANGELOG.md")).toMatch(/\n## Unreleased\n\n## 0\.1\.0 - \S+\n\n### Added\n\n- A new verb.\n$/);
});

test("a dry run says what would be done, and does nothing", () => {
  const { release, state } = repository();
  const before = state();
  const { status, stdout } = release("0.2.0", "--dry-run");
  expect(status).toBe(0);
  expect(stdout).toContain("would set the version 0.2.0 in package.json, web/package.json, package-lock.json");
  expect(stdout).toContain('would commit "Release 0.2.0" and tag it v0.2.0');
  expect(state()).toEqual(before);
});

test("--help describes the call", () => {
  const { status, stdout } = repository().release("--help");
  expect(status).toBe(0);
  expect(stdout).toContain("Usage: npm run release -- VERSION [--dry-run]");
});

const spoil: readonly (readonly [string, string, (repo: Repository) => void, RegExp])[] = [
  ["a changed file", "0.2.0", ({ path }) => writeFileSync(path("CHANGELOG.md"), "other"), /uncommitted changes/],
  ["a new file", "0.2.0", ({ path }) => writeFileSync(path("new"), ""), /uncommitted changes/],
  ["another branch", "0.2.0", ({ git }) => git("switch", "--quiet", "--create", "other"), /this is the branch other/],
  ["an existing tag", "0.2.0", ({ git }) => git("tag", "v0.2.0"), /the tag v0\.2\.0 exists already/],
  ["a lower version", "0.0.9", () => {}, /0\.0\.9 is below the present version 0\.1\.0/],
  ["no version", "soon", () => {}, /name one version such as 0\.2\.0/],
  ["an unknown flag", "--force", () => {}, /Unknown option '--force'/],
];
test.each(spoil)("%s is refused, and nothing changes", (_, version, change, reason) => {
  const repo = repository();
  change(repo);
  const before = repo.state();
  for (const dry of [[], ["--dry-run"]]) {
    const { status, stderr } = repo.release(version, ...dry);
    expect(status).toBe(1);
    expect(stderr).toMatch(reason);
  }
  expect(repo.state()).toEqual(before);
});

test.each([
  ["without a change", "## Unreleased\n\n### Added\n\n## 0.1.0 - 2026-01-02\n\n- The first one.\n"],
  ["that only says what it will become", "## Unreleased\n\nThis will become 0.1.0, the first version.\n"],
  ["that is missing", "## 0.1.0 - 2026-01-02\n\n- The first one.\n"],
])("a section Unreleased %s is refused", (_, sections) => {
  const { release, state } = repository(`${INTRO}${sections}`);
  const before = state();
  const { status, stderr } = release("0.2.0");
  expect(status).toBe(1);
  expect(stderr).toContain("the section Unreleased of CHANGELOG.md lists no change");
  expect(state()).toEqual(before);
});

test("our own changelog can be released", () => {
  const { release, state } = repository(
    readFileSync(fileURLToPath(new URL("../../CHANGELOG.md", import.meta.url)), "utf8"),
  );
  expect(release("0.1.0").status).toBe(0);
  expect(state()[2]).toBe("v0.1.0");
});
