// Pages that repeat what the code says, compared with the code.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ACCESS_LEVELS } from "#core/access/level.ts";
import { ERROR_CODES } from "#core/app-error.ts";
import { STATUS } from "#http/problem.ts";
import { allRoutes } from "../support/all-routes.ts";

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

test("docs/access.md lists every operation with its call and level", () => {
  const rows = rowsOf(read("docs/access.md"), /^\| `\w+` \| `(GET|POST|PUT|PATCH|DELETE) /);
  const routes = allRoutes().map(({ operation, method, path, access }) => [
    `\`${operation}\``,
    `\`${method} ${path.replaceAll(/:(\w+)/g, "{$1}")}\``,
    access === "public" ? "no token" : `\`${access}\``,
  ]);
  expect(rows).toEqual(routes);
});

test("docs/access.md lists the levels in their order", () => {
  expect(read("docs/access.md")).toContain(ACCESS_LEVELS.map((level) => `\`${level}\``).join(" < "));
  const rows = rowsOf(read("docs/access.md"), /^\| `\w+` \| [^`]/);
  expect(rows.map(([level]) => level?.replaceAll("`", ""))).toEqual([...ACCESS_LEVELS]);
});
