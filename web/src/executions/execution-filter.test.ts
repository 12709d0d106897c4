import { expect, test } from "vitest";
import { parseQuery } from "#web/router/query.ts";
import { countFilters, readFilter } from "./execution-filter.ts";

const filterOf = (search: string) =>
  Object.fromEntries(Object.entries(readFilter(parseQuery(search))).filter(([, value]) => value !== undefined));

test.each([
  ["", { limit: 50, offset: 0 }],
  ["?state.in=ERROR,NONSENSE&retention=ALL", { "state.in": ["ERROR"], retention: "ALL", limit: 50, offset: 0 }],
  [
    "?created_at.gte=2026-11-16T00:00:00Z&created_at.lt=soon",
    { "created_at.gte": "2026-11-16T00:00:00Z", limit: 50, offset: 0 },
  ],
  ["?limit=9999&offset=-3&order=CREATED_AT_ASC", { limit: 500, offset: 0, order: "CREATED_AT_ASC" }],
  [
    "?device.profiles.has_all=a,b&device.child_type.in=c&device.parent_id.in=p&device_id.in=d&name.in=start",
    {
      "device.profiles.has_all": ["a", "b"],
      "device.child_type.in": ["c"],
      "device.parent_id.in": ["p"],
      "device_id.in": ["d"],
      "name.in": ["start"],
      limit: 50,
      offset: 0,
    },
  ],
])("the address %s asks for %j", (search, expected) => {
  expect(filterOf(search)).toEqual(expected);
});

test("filters are counted, and pages are none", () => {
  expect(countFilters(parseQuery("?state.in=ERROR&offset=50&execution=a:b"))).toBe(1);
});
