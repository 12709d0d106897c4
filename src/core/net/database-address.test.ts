import { expect, test } from "vitest";
import { parseDatabaseAddress } from "./database-address.ts";

test.each([
  ["postgres://db/busbar", "db:5432", "postgres://db/busbar"],
  ["postgresql://me:secret@db:6000/busbar?sslmode=require", "db:6000", "postgresql://***@db:6000/busbar?***"],
  ["postgres://me:p@ss@db", "db:5432", "postgres://***@db"],
  ["postgres://a,b:1,[::1]:2/x", "a:5432 b:1 ::1:2", "postgres://a,b:1,[::1]:2/x"],
  ["postgres://a,b/x?target_session_attrs=read-write", "a:5432 b:5432", "postgres://a,b/x?***"],
  ["postgres://a:1,a:2/x?target_session_attrs=primary", "a:1 a:2", "postgres://a:1,a:2/x?***"],
])("%s names %s, and is shown as %s", (text, servers, shown) => {
  const parsed = parseDatabaseAddress(text);
  if (!("value" in parsed)) throw new Error(parsed.problems.join());
  expect(parsed.value.servers.map(({ host, port }) => `${host}:${port}`).join(" ")).toBe(servers);
  expect(parsed.value.shown).toBe(shown);
});

test("each server has an address of its own, with the name, the database and the parameters of all", () => {
  const parsed = parseDatabaseAddress("postgres://me:s@a,b:1/x?sslmode=require&target_session_attrs=read-write");
  expect("value" in parsed && parsed.value.servers.map(({ url }) => url)).toEqual([
    "postgres://me:s@a/x?sslmode=require",
    "postgres://me:s@b:1/x?sslmode=require",
  ]);
});

const FORM = "must be an address that starts with postgres:// or postgresql://";
test.each([
  ["mysql://db/x", FORM],
  ["postgres:///x", FORM],
  ["postgres://me@/x", FORM],
  ["", FORM],
  ["postgres://a,,b/x", 'has "", which is no'],
  ["postgres://a:x,b/x", 'has "a:x", which is no'],
  ["postgres://a,b:99999/x", 'has "b:99999", which is no'],
  ["postgres://a,a:5432/x", "names a server twice"],
  ["postgres://a,b/x?target_session_attrs=any", "has target_session_attrs=any: Busbar always looks for the primary"],
  ["postgres://a,b/x?host=c&port=1", "names several servers, so it cannot have the parameter host, port"],
  [`postgres://${Array.from({ length: 17 }, (_, n) => `h${n}`)}/x`, "names 17 servers, and at most 16 are possible"],
])("%s is refused: %s", (text, problem) => {
  const parsed = parseDatabaseAddress(text);
  expect("problems" in parsed && parsed.problems.join("; ")).toContain(problem);
});

test("all problems are named at once, and none holds the password", () => {
  const parsed = parseDatabaseAddress("postgres://me:geheim@a:x,b:y/x?target_session_attrs=standby&host=c");
  const problems = "problems" in parsed ? parsed.problems : [];
  expect(problems).toHaveLength(4);
  expect(problems.join()).not.toContain("geheim");
});

test("a long address is read without a long time", () => {
  const long = `postgres://${"a@".repeat(200_000)},`;
  expect("problems" in parseDatabaseAddress(long)).toBe(true);
});
