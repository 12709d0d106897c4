// knip finds unused files and exports. The messages of the page are keys of one export, so they are checked here.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TABLES = globSync("web/src/*/messages.ts", { cwd: ROOT });
const PAGE = read("web/src/**/*.{ts,svelte}");
/** The values that choose a message, as in `t[execution.state]`, are literals of the page or of a layer that it uses. */
const LITERALS = [...PAGE, ...read("src/{core,client}/**/*.ts")].map((file) => file.text).join("\n");

function read(pattern: string): readonly { readonly folder: string; readonly text: string }[] {
  return globSync(pattern, { cwd: ROOT })
    .filter((file) => !/\.test\.ts$|\/messages\.ts$/.test(file))
    .map((file) => ({ folder: dirname(file), text: readFileSync(join(ROOT, file), "utf8") }));
}

/** The English table has one key on a line, indented by four spaces. */
function keysOf(table: string): readonly string[] {
  const [english = ""] = readFileSync(join(ROOT, table), "utf8").split("\n  de: {");
  return [...english.matchAll(/^ {4}(\w+):/gm)].map((match) => match[1] ?? "");
}

function isShown(key: string, code: string): boolean {
  if (new RegExp(`\\b(?:t|\\w*[wW]ords|names|states)\\.${key}\\b`).test(code)) return true;
  if (!/\b(?:t|\w*[wW]ords|names|states)\[/.test(code)) return false;
  const templates = [...code.matchAll(/\[`([^`]*)`/g)].map((match) => match[1]?.replaceAll(/\$\{[^}]*\}/g, ".+"));
  return templates.some((template) => new RegExp(`^${template}$`).test(key)) || LITERALS.includes(`"${key}"`);
}

test.each(TABLES)("every message of %s is shown somewhere", (table) => {
  const folder = dirname(table);
  const code = PAGE.filter(
    (file) => file.folder === folder || file.text.includes(`#${folder.replace("/src/", "/")}/messages.ts`),
  );
  const shown = code.map((file) => file.text).join("\n");
  const keys = keysOf(table);
  expect(keys).not.toEqual([]);
  expect(keys.filter((key) => !isShown(key, shown))).toEqual([]);
});
