// Pages that repeat what the code says, compared with the code.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ERROR_CODES } from "#core/app-error.ts";
import { AGGREGATIONS } from "#core/telemetry/aggregation.ts";
import { STATUS } from "#http/problem.ts";
import { allRoutes } from "../support/all-routes.ts";
import { renderOperations } from "../support/render-operations.ts";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");
const cells = (line: string) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
const rowsOf = (page: string, first: RegExp) =>
  page
    .split("\n")
    .filter((line) => first.test(line))
    .map(cells);

test("docs/errors.md lists every code once, with its status and meaning, and no other", () => {
  const rows = rowsOf(read("docs/errors.md"), /^\| `[\w/]+` \| \d{3} \|/);
  const documented = rows.map(([code, status, meaning]) => [code?.replaceAll("`", ""), Number(status), meaning]);
  const registered = Object.entries(ERROR_CODES).map(([code, meaning]) => [
    code,
    STATUS[code as keyof typeof STATUS],
    meaning,
  ]);
  expect(documented.sort()).toEqual(registered.sort());
});

test("docs/operations.md lists every operation with its call, its level and who performs it", async () => {
  await expect(renderOperations(allRoutes())).toMatchFileSnapshot("../../docs/operations.md");
});

test("docs/telemetry.md explains every aggregation", () => {
  const [, page = ""] = read("docs/telemetry.md").split(/^## Time series$(.*?)^## /ms);
  expect(AGGREGATIONS.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("docs/access.md lists the levels in their order", () => {
  expect(read("docs/access.md")).toContain(ACCESS_LEVELS.map((level) => `\`${level}\``).join(" < "));
  const [table = ""] = read("docs/access.md").split("## Sites");
  const rows = rowsOf(table, /^\| `\w+` \| [^`]/);
  expect(rows.map(([level]) => level?.replaceAll("`", ""))).toEqual([...ACCESS_LEVELS]);
});

/** The value of a constant of a source file, such as `const MOST_TOKENS = 20_000;`. */
function constantOf(path: string, name: string): number {
  const [, factors] = new RegExp(`\\b${name} = ([\\d_ *]+);`).exec(read(path)) ?? [];
  if (factors === undefined) throw new Error(`${path} has no ${name}`);
  return factors.split("*").reduce((product, factor) => product * Number(factor.replaceAll("_", "")), 1);
}

const grouped = (value: number) => value.toLocaleString("en-US");

test("docs/decisions/reading-manifests.md gives the reader's limits", () => {
  const page = read("docs/decisions/reading-manifests.md").replaceAll(/\s+/g, " ");
  const of = (file: string, name: string) => grouped(constantOf(`src/manifest/${file}`, name));
  expect(page).toContain(`at most ${constantOf("src/manifest/read-document.ts", "MOST_BYTES") / 1024} KiB of text`);
  expect(page).toContain(`${of("tree-builder.ts", "MOST_ENTRIES")} entries in one object or list`);
  expect(page).toContain(`${of("tree-builder.ts", "MOST_REPEATS")} values repeated by aliases`);
  expect(page).toContain(`${of("reporter.ts", "MOST_ISSUES")} errors and ${of("reporter.ts", "MOST_ISSUES")} warnings`);
  expect(page).toContain(`${of("compose-yaml.ts", "MOST_TOKENS")} tokens`);
});

test("docs/decisions/execution-groups.md names the tables of counters and the number of groups", () => {
  const page = read("docs/decisions/execution-groups.md").replaceAll(/\s+/g, " ");
  const tables = [...read("src/store/records/execution-spans.ts").matchAll(/table: "(\w+)"/g)].map(([, name]) => name);
  expect(tables).not.toEqual([]);
  for (const table of tables) expect(page).toContain(`(\`${table}\`)`);
  const many = constantOf("src/store/records/execution-list.ts", "MANY_GROUPS");
  expect(page).toContain(`If more than ${many} groups of one site match`);
});

test("every setting that a page names exists", () => {
  const names = new Set(
    [...read("docs/configuration.md").matchAll(/^\| `([a-z_.]+)` \|/gm)].map(([, name = ""]) => name),
  );
  const groups = new Set([...names].filter((name) => name.includes(".")).map((name) => name.split(".")[0]));
  // Names with a dot are functions in the pages about Lua, and sentences in the page about conformance.
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root }).filter((page) => !/lua|conformance/.test(page));
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name = ""]) => ({ page, name })),
  );
  const settings = named.filter(({ name }) => groups.has(name.split(".")[0]) && !/\.(ts|token|key|db)$/.test(name));
  expect(settings.length).toBeGreaterThan(20);
  expect(settings.filter(({ name }) => !names.has(name))).toEqual([]);
});
