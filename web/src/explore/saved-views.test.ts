import { expect, test } from "vitest";
import { browserViews, moveViews, readLast, writeLast } from "./saved-views.ts";

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

test("what was looked at last is kept for each person and site, the newest of them", () => {
  const store = storage();
  const whose = (n: number) => ({ site: "s", person: `p${n}` });
  for (let n = 0; n < 25; n += 1) writeLast(store, whose(n), `?range=${n}`);
  expect([readLast(store, whose(24)), readLast(store, whose(5)), readLast(store, whose(0))]).toEqual([
    "?range=24",
    "?range=5",
    undefined,
  ]);
  expect(readLast(store, { site: "other", person: "p24" })).toBeUndefined();
});

test("a browser that refuses storage does no harm", () => {
  const refusing = {
    getItem: () => null,
    setItem: () => {
      throw new Error("no room");
    },
  };
  writeLast(refusing, { site: "s", person: "p" }, "?x=1");
  expect(readLast(refusing, { site: "s", person: "p" })).toBeUndefined();
});
