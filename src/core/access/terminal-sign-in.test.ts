import { expect, test } from "vitest";
import { readUserCode, showUserCode, userCodeOf } from "./terminal-sign-in.ts";

test("each letter of a code is equally likely: bytes that would favour some are left out", () => {
  const counts = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const code = userCodeOf(Uint8Array.from([byte, 1, 0, 0, 0, 0, 0, 0, 0]));
    if (byte >= 240) expect(code).toBe("CBBBBBBB");
    else counts.set(code?.charAt(0) ?? "", (counts.get(code?.charAt(0) ?? "") ?? 0) + 1);
  }
  expect([counts.size, new Set(counts.values())]).toEqual([20, new Set([12])]);
  expect(userCodeOf(new Uint8Array(16).fill(255))).toBeUndefined();
});

test.each([
  ["BCDF-GHJK", "BCDFGHJK"],
  [" bcdf ghjk ", "BCDFGHJK"],
  ["BCDFGHJK", "BCDFGHJK"],
  ["BCDF-GHJ", undefined],
  ["BCDF-GHJKL", undefined],
  ["ACDF-GHJK", undefined],
  ["", undefined],
  ["constructor", undefined],
])("%j is read as %s", (typed, code) => {
  expect(readUserCode(typed)).toBe(code);
  if (code !== undefined) expect(showUserCode(code)).toBe("BCDF-GHJK");
});
