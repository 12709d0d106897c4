import { expect, test } from "vitest";
import { toFrames } from "./frames.ts";

const ROOM = 32 * 1024 - 1;

test.each([
  [0, [1]],
  [1, [2]],
  [ROOM, [ROOM + 1]],
  [ROOM + 1, [ROOM + 1, 2]],
  [2 * ROOM, [ROOM + 1, ROOM + 1]],
])("a message of %d bytes has frames of %j, and only the last one says so", (bytes, sizes) => {
  const frames = toFrames(new Uint8Array(bytes).fill(7));
  expect(frames.map(({ length }) => length)).toEqual(sizes);
  expect(frames.map(([first]) => first)).toEqual(sizes.map((_, n) => (n === sizes.length - 1 ? 0 : 1)));
});
