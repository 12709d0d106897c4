// `npm run release -- VERSION`: makes a release of the checkout in which it is called. It moves the section Unreleased of the
// changelog under the version, sets the version of the packages, commits, and tags. It never pushes.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

const HELP = `Usage: npm run release -- VERSION [--dry-run]

Moves the section Unreleased of CHANGELOG.md under VERSION (such as 0.2.0), sets the version in
package.json, web/package.json and package-lock.json, commits, and tags vVERSION.

  --dry-run  check everything and print what would be done
  --help     print this text

It refuses uncommitted changes, any branch except main, a tag that exists, a version below the
present one, and an empty section Unreleased. It pushes nothing.`;

const BRANCH = "main";
const PACKAGES = ["package.json", "web/package.json"];
const LOCK = "package-lock.json";
const CHANGELOG = "CHANGELOG.md";

function refuse(text) {
  console.error(`release: ${text}`);
  process.exit(1);
}

function git(...args) {
  const done = spawnSync("git", args, { encoding: "utf8" });
  if (done.error) refuse(`cannot run git: ${done.error.message}`);
  if (done.status !== 0) refuse(`git ${args.join(" ")} failed:\n${done.stderr.trim()}`);
  return done.stdout.trim();
}

function parseCall() {
  try {
    const options = { "dry-run": { type: "boolean", default: false }, help: { type: "boolean", default: false } };
    const { values, positionals } = parseArgs({ allowPositionals: true, options });
    return { isDry: values["dry-run"], wantsHelp: values.help, positionals };
  } catch (error) {
    return refuse(`${error.message}\n\n${HELP}`);
  }
}

const numbersOf = (version) => /^(\d+)\.(\d+)\.(\d+)$/.exec(version)?.slice(1).map(Number);

function isBelow(version, present) {
  const [wanted, has] = [numbersOf(version), numbersOf(present)];
  const at = wanted.findIndex((number, place) => number !== has[place]);
  return at >= 0 && wanted[at] < has[at];
}

/** The changelog with an empty section Unreleased; undefined when the section lists nothing. */
function moveUnreleased(text, title) {
  const heading = "## Unreleased\n";
  const start = text.indexOf(`\n${heading}`) + 1;
  if (start === 0) return undefined;
  const next = text.indexOf("\n## ", start);
  const end = next < 0 ? text.length : next + 1;
  // Says what the section is to become; it has become that.
  const section = text.slice(start + heading.length, end).replace(/^This will become .*\n/m, "");
  if (!/^[-*] \S/m.test(section)) return undefined;
  return `${text.slice(0, start)}${heading}\n## ${title}\n\n${section.trim()}\n${next < 0 ? "" : "\n"}${text.slice(end)}`;
}

function withVersion(text, version) {
  const content = JSON.parse(text);
  content.version = version;
  for (const path of ["", "web"]) if (content.packages?.[path]) content.packages[path].version = version;
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

const { isDry, wantsHelp, positionals } = parseCall();
if (wantsHelp) {
  console.log(HELP);
  process.exit(0);
}
const [version = "", ...more] = positionals;
if (!numbersOf(version) || more.length > 0) refuse(`name one version such as 0.2.0\n\n${HELP}`);

const root = git("rev-parse", "--show-toplevel");
const read = (name) => readFileSync(join(root, name), "utf8");
const tag = `v${version}`;
const branch = git("rev-parse", "--abbrev-ref", "HEAD");
if (branch !== BRANCH) refuse(`this is the branch ${branch}; releases are made on ${BRANCH}`);
if (git("status", "--porcelain") !== "") refuse("there are uncommitted changes: commit or remove them first");
if (git("tag", "--list", tag) !== "") refuse(`the tag ${tag} exists already`);
const present = JSON.parse(read("package.json")).version;
if (isBelow(version, present)) refuse(`${version} is below the present version ${present}`);
const title = `${version} - ${new Date().toISOString().slice(0, 10)}`;
const changelog = moveUnreleased(read(CHANGELOG), title);
if (changelog === undefined) refuse(`the section Unreleased of ${CHANGELOG} lists no change`);

if (isDry) {
  console.log(`would add to ${CHANGELOG}: ## ${title}`);
  console.log(`would set the version ${version} in ${[...PACKAGES, LOCK].join(", ")}`);
  console.log(`would commit "Release ${version}" and tag it ${tag}`);
} else {
  writeFileSync(join(root, CHANGELOG), changelog);
  for (const name of [...PACKAGES, LOCK]) writeFileSync(join(root, name), withVersion(read(name), version));
  git("-C", root, "add", CHANGELOG, ...PACKAGES, LOCK);
  git("commit", "--quiet", "--message", `Release ${version}`);
  git("tag", "--annotate", "--message", `Busbar ${version}`, tag);
  console.log(`${tag} is committed and tagged. Publish it with: git push --follow-tags origin ${BRANCH}`);
}
