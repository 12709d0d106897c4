import { expect, test } from "vitest";
import { before, includes, parseMoment } from "./moment.ts";

test("a moment has every commit before its end that was not running", () => {
  const moment = parseMoment("10:14:10,12");
  expect([9, 10, 11, 12, 13, 14].filter((commit) => includes(moment, commit))).toEqual([9, 11, 13]);
  expect(parseMoment("10:14:10,12", 100)).toEqual(parseMoment("110:114:110,112"));
  const quiet = parseMoment("7:7:");
  expect([6, 7].filter((commit) => includes(quiet, commit))).toEqual([6]);
});

test("a moment can be cut off before a commit", () => {
  const moment = parseMoment("10:14:10,12");
  expect(before(moment, 14)).toBe(moment);
  expect(before(moment, 12)).toEqual(parseMoment("10:12:10"));
  expect(before(moment, 5)).toEqual(parseMoment("5:5:"));
});

test("what is no moment is refused", () => {
  for (const text of ["", "1:2", "a:b:", "1:2:x"]) expect(() => parseMoment(text)).toThrow(RangeError);
});
