import { expect, test } from "vitest";
import { parseQuery } from "#web/router/query.ts";
import { askedParts, readChangeFilter } from "./change-view.ts";

test.each([
  ["", { limit: 50, offset: 0 }],
  [
    "?state=PENDING,REFUSED,nothing&site=s1",
    { "state.in": ["PENDING", "REFUSED"], "site_id.in": ["s1"], limit: 50, offset: 0 },
  ],
  ["?page=3", { limit: 50, offset: 100 }],
  ["?page=-3&state=x", { limit: 50, offset: 0 }],
])("the address %s asks for these changes", (query, filter) => {
  expect(readChangeFilter(parseQuery(query))).toEqual(filter);
});

test("what is asked for is told part by part, and long parts are cut", () => {
  const asked = { name: "Big pump", values: { port: 502 }, manifest: "x".repeat(500) };
  expect(askedParts({ asked })).toEqual([
    { name: "name", text: "Big pump" },
    { name: "values", text: '{"port":502}' },
    { name: "manifest", text: `${"x".repeat(200)}…` },
  ]);
});
