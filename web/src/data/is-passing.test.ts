import { expect, test } from "vitest";
import { ApiError, UnreachableError } from "#client/errors.ts";
import { isPassing } from "./is-passing.ts";

test("an outage passes; a refusal and a mistake of the page do not", () => {
  const answered = (status: number) => new ApiError(status, [{ code: "x", message: "x" }]);
  expect(isPassing(new UnreachableError("http://gateway", "connection"))).toBe(true);
  expect([502, 503, 504].every((status) => isPassing(answered(status)))).toBe(true);
  expect([400, 401, 403, 404, 409, 500].some((status) => isPassing(answered(status)))).toBe(false);
  expect(isPassing(new TypeError("x"))).toBe(false);
});
