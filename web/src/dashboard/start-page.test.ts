import { expect, test } from "vitest";
import type { ViewHead } from "#client/resources.ts";
import { firstOf, startOf } from "./start-page.ts";

const view = (id: string, is_shared: boolean, is_start: boolean) =>
  ({ id, kind: "dashboard", is_shared, is_start }) as ViewHead;

test.each([
  [[], undefined, undefined],
  [[view("a", true, false)], undefined, "a"],
  [[view("a", true, false), view("b", false, false)], undefined, "b"],
  [[view("a", true, true), view("b", false, false)], "a", "a"],
  [[view("a", true, true), view("b", false, true)], "b", "b"],
])("of %j the start is %s and the first %s", (views, start, first) => {
  expect([startOf(views)?.id, firstOf(views)?.id]).toEqual([start, first]);
});
