import { expect, test } from "vitest";
import { parseQuery } from "./query.ts";

test("filters are read from an address", () => {
  const query = parseQuery("?state.in=SUCCESS,ERROR&page=2&all=true&empty=&name=a%20b");
  expect(query.list("state.in")).toEqual(["SUCCESS", "ERROR"]);
  expect(query.number("page")).toBe(2);
  expect(query.number("name")).toBeUndefined();
  expect(query.number("missing")).toBeUndefined();
  expect(query.flag("all")).toBe(true);
  expect(query.text("empty")).toBeUndefined();
  expect(query.text("name")).toBe("a b");
});

test("what is not understood is left out", () => {
  const query = parseQuery("?from=2026-11-17T10:00:00Z&to=soon&state.in=B,X,A&other=X");
  expect(query.moment("from")).toBe("2026-11-17T10:00:00Z");
  expect(query.moment("to")).toBeUndefined();
  expect(query.choice("state.in", ["A", "B", "C"])).toEqual(["A", "B"]);
  expect(query.choice("other", ["A", "B"])).toBeUndefined();
});

test("a change keeps the other filters", () => {
  const query = parseQuery("?a=1&b=2");
  expect(query.with({ b: undefined, c: ["x", "y"] })).toBe("?a=1&c=x%2Cy");
});
