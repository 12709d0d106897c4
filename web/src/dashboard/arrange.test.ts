import { expect, test } from "vitest";
import { addTile, arrange, arrangingOf, moveTile, removeTile, resizeTile, type Tiles } from "./arrange.ts";

const tiles = (text: string): Tiles =>
  text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const [id = "", width = "1", height = "1"] = word.split(/[:x]/);
      return { id, kind: "text", width: Number(width), height: Number(height), text: "" };
    });
const shown = (list: Tiles) => list.map(({ id, width, height }) => `${id}:${width}x${height}`).join(" ");

test.each([
  ["a b c", "a", 1, "b a c"],
  ["a b c", "c", 0, "c a b"],
  ["a b c", "a", 9, "b c a"],
  ["a b c", "b", -5, "b a c"],
  ["a b c", "x", 0, "a b c"],
])("of [%s], %s to %i gives [%s]", (given, id, to, expected) => {
  expect(shown(moveTile(tiles(given), id, to))).toBe(shown(tiles(expected)));
});

test("a tile that stays where it is changes nothing", () => {
  const given = tiles("a b");
  expect(moveTile(given, "a", 0)).toBe(given);
});

test.each([
  ["a:1x1", { width: 1 }, "a:2x1"],
  ["a:4x1", { width: 1 }, "a:4x1"],
  ["a:1x1", { height: -1 }, "a:1x1"],
  ["a:2x4", { height: 1, width: -1 }, "a:1x4"],
])("%s by %j is %s", (given, by, expected) => {
  expect(shown(resizeTile(tiles(given), "a", by))).toBe(expected);
});

test.each([
  ["ArrowLeft", false, "b:2x2 a:2x2 c:2x2"],
  ["ArrowDown", false, "a:2x2 c:2x2 b:2x2"],
  ["ArrowRight", true, "a:2x2 b:3x2 c:2x2"],
  ["ArrowUp", true, "a:2x2 b:2x1 c:2x2"],
])("%s, with shift %s, gives %s", (key, hasShift, expected) => {
  const wanted = arrangingOf(key, hasShift);
  expect(wanted && shown(arrange(tiles("a:2x2 b:2x2 c:2x2"), "b", wanted))).toBe(expected);
});

test("other keys arrange nothing", () => {
  expect(arrangingOf("Enter", false)).toBeUndefined();
});

test("what is pinned comes last, with an id of its own, and is taken away by it", () => {
  const pinned = addTile(addTile([], { kind: "flow" }), { kind: "energy" });
  expect(shown(pinned)).toBe("t1:2x3 t2:2x2");
  expect(shown(addTile(removeTile(pinned, "t1"), { kind: "flow" }))).toBe("t2:2x2 t3:2x3");
});
