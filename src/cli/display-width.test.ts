import { expect, test } from "vitest";
import { displayWidth } from "./display-width.ts";

test.each([
  ["", 0],
  ["busbar", 6],
  ["Zürich", 6],
  ["Zu\u0308rich", 6],
  ["电池", 4],
  ["ｆｕｌｌ", 8],
  ["🔋", 2],
  ["👩‍🔧", 2],
  ["❤️", 2],
  ["한국", 4],
  ["\u200b", 0],
])("%j takes %d columns", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});
