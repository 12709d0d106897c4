import { expect, test } from "vitest";
import { browserViews, moveViews } from "./saved-views.ts";

function storage(start?: string) {
  const kept = new Map(start === undefined ? [] : [["busbar.explore.views", start]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

const [SUN, GRID] = [
  { name: "Sun", query: "?series=a:b" },
  { name: "Grid", query: "?series=c:d" },
];

test("views of this browser move once, site by site; one that cannot be saved stays", async () => {
  const store = storage(JSON.stringify({ s1: [SUN, GRID], s2: [SUN] }));
  const saved: string[] = [];
  const save = async ({ name }: { readonly name: string }) => {
    if (name === "Grid" && saved.length < 2) throw new Error("no room");
    saved.push(name);
  };
  expect(await moveViews(store, "s1", save)).toBe(1);
  expect(browserViews(store, "s1")).toEqual([GRID]);
  saved.push("time passes");
  expect(await moveViews(store, "s1", save)).toBe(1);
  expect([browserViews(store, "s1"), browserViews(store, "s2")]).toEqual([[], [SUN]]);
  expect(await moveViews(store, "s1", save)).toBe(0);
});

test.each(["no json", "[]", '{"s1":1}', '{"s1":[1,{"name":2},{"name":"x","query":"javascript:"}]}'])(
  "%j holds no view",
  (text) => {
    expect(browserViews(storage(text), "s1")).toEqual([]);
  },
);
