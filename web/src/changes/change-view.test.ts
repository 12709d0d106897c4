import { expect, test } from "vitest";
import { parseQuery } from "#web/router/query.ts";
import { askedParts, mayWithdraw, openChanges, readChangeFilter } from "./change-view.ts";

test.each([
  ["", { limit: 50, offset: 0 }],
  [
    "?state=PENDING,REFUSED,nothing&site=s1",
    { "state.in": ["PENDING", "REFUSED"], "site_id.in": ["s1"], limit: 50, offset: 0 },
  ],
  ["?device=d1", { "device_id.in": ["d1"], limit: 50, offset: 0 }],
  ["?page=3", { limit: 50, offset: 100 }],
  ["?page=-3&state=x", { limit: 50, offset: 0 }],
])("the address %s asks for these changes", (query, filter) => {
  expect(readChangeFilter(parseQuery(query))).toEqual(filter);
});

test("what is asked for is shown part by part, and long parts are cut", () => {
  const asked = { name: "Big pump", values: { port: 502 }, manifest: "x".repeat(500) };
  expect(askedParts({ asked })).toEqual([
    { name: "name", text: "Big pump" },
    { name: "values", text: '{"port":502}' },
    { name: "manifest", text: `${"x".repeat(200)}…` },
  ]);
});

test("a device has changes that wait, and those that were lately not made", () => {
  const now = Date.parse("2026-03-10T00:00:00Z");
  const change = (state: "PENDING" | "DONE" | "REFUSED" | "OVERRULED", settled: string | null) => ({
    state,
    settled_at: settled,
    operation: "updateDevice",
    gateway_id: "g",
  });
  const pending = change("PENDING", null);
  const settled = [
    change("REFUSED", "2026-03-09T00:00:00Z"),
    change("OVERRULED", "2026-03-04T00:00:00Z"),
    change("REFUSED", "2026-03-01T00:00:00Z"),
    change("DONE", "2026-03-09T00:00:00Z"),
  ];
  expect(openChanges([pending, ...settled], now)).toEqual({ waiting: [pending], notMade: 2 });
});

test.each([
  ["PENDING", "owner", "other", true],
  ["PENDING", "user", "asker", true],
  ["PENDING", "user", "other", false],
  ["PENDING", "readonly", "asker", false],
  ["DONE", "owner", "asker", false],
] as const)("a change that is %s can be withdrawn with level %s by the %s: %s", (state, level, token, expected) => {
  expect(mayWithdraw({ state, asked_by: { token_id: "asker" } }, { level, token_id: token })).toBe(expected);
});
