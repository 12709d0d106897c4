// What the pages promise: links that lead somewhere, commands that exist, files that are where they are said to be.
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runBusbar } from "../support/run-busbar.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SKIPPED = new Set(["node_modules", ".git", ".busbar", "dist", "coverage"]);
const PAGES = globSync("**/*.md", { cwd: ROOT, exclude: (path) => SKIPPED.has(path) }).sort();

const read = (page: string) => readFileSync(join(ROOT, page), "utf8");

/** Fenced blocks, and between them the code inside lines. */
function codeOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  const spans = [...withoutBlocks(text).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  return [...blocks, ...spans];
}

function withoutBlocks(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, "");
}

function linksOf(page: string): readonly string[] {
  const text = withoutBlocks(read(page)).replaceAll(/`[^`\n]*`/g, "");
  return [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)/gm)].map(
    ([, inline, listed]) => inline ?? listed ?? "",
  );
}

/** The fragment a heading gets where pages are shown. */
function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

function brokenLinks(page: string): readonly string[] {
  return linksOf(page).filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false;
    const [path = "", fragment] = link.split("#");
    const target = path === "" ? page : join(dirname(page), decodeURI(path));
    if (!existsSync(join(ROOT, target))) return true;
    if (fragment === undefined || !target.endsWith(".md")) return false;
    const headings = [...withoutBlocks(read(target)).matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) => fragmentOf(text));
    return !headings.includes(fragment);
  });
}

test.each(PAGES)("every link of %s leads somewhere", (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

test.each(PAGES)("%s names no folder of the machine it was written on", (page) => {
  expect(read(page).match(/(?<![\w.])\/(work|tmp|root|home|Users)\/\S*/g) ?? []).toEqual([]);
});

test.each(["README.md", "CONTRIBUTING.md"])("every npm script that %s names exists", (page) => {
  const { scripts } = JSON.parse(read("package.json")) as { readonly scripts: Readonly<Record<string, string>> };
  const named = codeOf(read(page)).flatMap((code) => [...code.matchAll(/\bnpm (?:run )?([\w:-]+)/g)]);
  expect(named).not.toHaveLength(0);
  for (const [words, script = ""] of named) {
    const file = scripts[script]?.match(/scripts\/\S+/)?.[0];
    expect(Object.keys(scripts), words).toContain(script);
    expect(file === undefined || existsSync(join(ROOT, file)), `${words} runs ${file}`).toBe(true);
  }
});

/** Names and aliases that a help text lists under Commands. */
function listedCommands(help: string): readonly string[] {
  const [, list = ""] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  return [...list.matchAll(/^ {2}([\w|-]+)/gm)].flatMap(([, names = ""]) => names.split("|"));
}

test("every busbar command that a page names exists", async () => {
  const verbs = listedCommands((await runBusbar("--help")).out);
  const pages = PAGES.filter((page) => page !== "CHANGELOG.md");
  const named = pages.flatMap((page) =>
    codeOf(read(page)).flatMap((code) =>
      [...code.matchAll(/(?:^|[\s$])(?:\.\/bin\/)?busbar ([a-z-]+)(?: ([a-z][a-z-]*)(?=\s|$))?/gm)].map(
        ([words, verb = "", second]) => ({ place: `${page}: ${words.trim()}`, verb, second }),
      ),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  const seconds = new Map<string, readonly string[]>();
  for (const { place, verb, second } of named) {
    expect(verbs, place).toContain(verb);
    if (!seconds.has(verb)) seconds.set(verb, listedCommands((await runBusbar([verb, "--help"])).out));
    const known = seconds.get(verb) ?? [];
    if (second !== undefined && known.length > 0) expect(known, place).toContain(second);
  }
});

/** Every file and folder of the checkout, by its path. */
const PATHS = globSync("**", { cwd: ROOT, exclude: (path) => SKIPPED.has(path) });
const NAMES = new Set(PATHS.flatMap((path) => path.split("/").map((_, index, parts) => parts.slice(index).join("/"))));

/** Whether the code between backticks names a file or folder of ours: `store/series/batch.ts`, `batch.ts`, `src/core`. */
/** The commands of a page, each with its further lines: blocks for a shell, and lines that begin like one. */
function commandsOf(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```(\w*)[^\n]*\n([\s\S]*?)^```/gm)];
  const spans = [...withoutBlocks(text).matchAll(/`((?:\.\/bin\/)?busbar [^`]+)`/g)].map(([, span = ""]) => span);
  const typed = blocks.flatMap(([, language, block = ""]) =>
    language === "sh"
      ? [block]
      : [...block.matchAll(/^(?:\$ .*|(?:\.\/bin\/)?busbar .*|curl .*)(?:(?<=\\)\n.*)*/gm)].map(([line]) => line),
  );
  return [...typed, ...spans];
}

test.each(PAGES)("no command of %s has a fixed date, of which nothing is kept some day", (page) => {
  // The sun of a simulation shines on any date.
  const dated = commandsOf(read(page)).filter((one) => /\b20\d\d-\d\d/.test(one) && !/\bsimulat/.test(one));
  expect(dated).toEqual([]);
});

function isOurPath(code: string): boolean {
  return /^[\w./-]*[\w-]\.(ts|mjs|sql)$|^(src|test|scripts|docs|examples|bench)\/[\w./-]*$/.test(code);
}

/** A fresh checkout does not have it yet. */
const BUILT = "docs/dist";

test.each(PAGES.filter((page) => page !== "CHANGELOG.md"))("every file that %s names is there", (page) => {
  const named = codeOf(withoutBlocks(read(page))).filter(isOurPath);
  // Files that the reader writes, with the content that the page shows.
  const shown = new Set([...read(page).matchAll(/^```[^\n]* file=(\S+)/gm)].map(([, file]) => file));
  const isThere = (path: string) =>
    path === BUILT ||
    shown.has(path) ||
    NAMES.has(path.replace(/\/$/, "")) ||
    existsSync(join(ROOT, dirname(page), path));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});

test("the architecture fits on one page of under 200 lines", () => {
  expect(read("ARCHITECTURE.md").split("\n").length).toBeLessThan(200);
});

test("the architecture names every layer and every folder of tests", () => {
  const page = read("ARCHITECTURE.md");
  const folders = (of: string) =>
    readdirSync(join(ROOT, of), { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : []));
  const isNamed = (folder: string) => page.includes(`\`${folder}\``);
  expect(folders("src").filter((layer) => !isNamed(`src/${layer}`))).toEqual([]);
  const shared = ["support", "fixtures"];
  expect(folders("test").filter((folder) => !shared.includes(folder) && !isNamed(`test/${folder}`))).toEqual([]);
});

test("the glossary of the architecture has at most 30 words", () => {
  const [, glossary = ""] = read("ARCHITECTURE.md").split("## Glossary");
  const [table = ""] = glossary.split("\n## ");
  const words = [...table.matchAll(/^\| ([a-z, ]+) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
  expect(words.length).toBeGreaterThan(10);
  expect(words.length).toBeLessThanOrEqual(31); // with the head of the table
});

test("the index of the documentation lists every page", () => {
  const listed = linksOf("docs/README.md").map((link) => join("docs", link));
  const pages = PAGES.filter((page) => page.startsWith("docs/") && page !== "docs/README.md");
  expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
});
