import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { qrCode } from "./qr-code.ts";

const drawn = (text: string) => qrCode(text).map((row) => row.map((isDark) => (isDark ? "#" : ".")).join(""));

// An independent reader (jsqr 1.4.0) read these and all lengths up to 660 bytes.
test("a short text is drawn as a reader reads it", () => {
  expect(drawn("busbar")).toEqual([
    "#######....##.#######",
    "#.....#.#.....#.....#",
    "#.###.#..####.#.###.#",
    "#.###.#..##...#.###.#",
    "#.###.#.#..##.#.###.#",
    "#.....#...##..#.....#",
    "#######.#.#.#.#######",
    ".........##..........",
    "#.#.#.#..#..#...#..#.",
    ".#####.#..##.#.#....#",
    ".####.##.#.#.###.####",
    "#.#.#....#####.##..##",
    "##.#..#...##.###.#..#",
    "........#.....##.#.##",
    "#######...#.#...##.##",
    "#.....#.......###..##",
    "#.###.#.#...#.#.#..##",
    "#.###.#..###.#..##.#.",
    "#.###.#.#..#.####...#",
    "#.....#..#.###.....#.",
    "#######.####.##.#..##",
  ]);
});

test.each([
  [
    "otpauth://totp/Busbar:anna@example.org?secret=MZXW6YTBOIMZXW6YTBOIMZXW6YTBOI22&issuer=Busbar",
    41,
    "babc47d17405b268",
  ],
  ["x".repeat(660), 97, "f6e0312659721492"],
  ["Größe 🔋 ".repeat(20), 65, "4377d718bf944bb2"],
])("[%s] has the size and the picture that a reader read", (text, size, hash) => {
  const picture = drawn(text);
  expect(picture.every((row) => row.length === size) && picture.length === size).toBe(true);
  expect(createHash("sha256").update(picture.join("\n")).digest("hex").slice(0, 16)).toBe(hash);
});

test("a text that is too long is refused, and the longest name of a second factor is not", () => {
  expect(() => qrCode("x".repeat(700))).toThrow(RangeError);
  expect(qrCode("").length).toBe(21);
});
