import { expect, test } from "vitest";
import { deleteView, readViews, saveView } from "./saved-views.ts";

function storage(start?: string) {
  const kept = new Map(start === undefined ? [] : [["busbar.explore.views", start]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

test("views are kept for each site; one with the same name is replaced", () => {
  const store = storage();
  saveView(store, "s1", { name: "Sun", query: "?series=a:b" });
  saveView(store, "s1", { name: "Grid", query: "?series=c:d" });
  saveView(store, "s2", { name: "Sun", query: "?series=e:f" });
  saveView(store, "s1", { name: "Sun", query: "?series=g:h" });
  expect(readViews(store, "s1")).toEqual([
    { name: "Sun", query: "?series=g:h" },
    { name: "Grid", query: "?series=c:d" },
  ]);
  expect(deleteView(store, "s1", "Sun").map(({ name }) => name)).toEqual(["Grid"]);
  expect(readViews(store, "s2")).toHaveLength(1);
});

test.each(["no json", "[]", '{"s1":1}', '{"s1":[1,{"name":2},{"name":"x","query":"javascript:"}]}'])(
  "%j holds no view",
  (text) => {
    expect(readViews(storage(text), "s1")).toEqual([]);
  },
);

test("a browser that refuses storage still shows the view", () => {
  const refusing = {
    getItem: () => null,
    setItem: () => {
      throw new Error("no room");
    },
  };
  expect(saveView(refusing, "s1", { name: "Sun", query: "?x=1" })).toEqual([{ name: "Sun", query: "?x=1" }]);
});
