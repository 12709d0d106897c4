import { expect, test } from "vitest";
import { AppError, ERROR_CODES, type ErrorCode, refuse } from "#core/app-error.ts";
import { FORBIDS, MISSING } from "#service/operation/record-refusal.ts";
import { problemOf, STATUS } from "./problem.ts";

test("every 429 and 503 says how long to wait, in whole seconds", () => {
  const codes = (Object.keys(ERROR_CODES) as ErrorCode[]).filter(
    (code) => STATUS[code] === 429 || STATUS[code] === 503,
  );
  expect(codes).not.toEqual([]);
  for (const code of codes) expect(problemOf(refuse(code, "slow down")).retryAfter).toBe(1);
  expect(problemOf(new AppError([{ code: "too_many_wrong_tokens", message: "wait" }], 42)).retryAfter).toBe(42);
});

test.each([new Error("secret"), "secret", undefined, null, { code: "not_found" }])(
  "%j is a fault that reveals nothing",
  (thrown) => {
    const { status, body } = problemOf(thrown);
    expect(status).toBe(500);
    expect(body.errors).toEqual([{ code: "internal", message: expect.not.stringContaining("secret") }]);
  },
);

test.each<[readonly [ErrorCode, ...ErrorCode[]], number]>([
  [["invalid_body"], 400],
  [["invalid_body", "attribute_not_found"], 404],
  [["device_not_found", "invalid_body", "forbidden"], 403],
  [["forbidden", "unauthorized"], 401],
  [["conflict", "invalid_body"], 409],
])("refusals %j together have the gravest status, %i", ([first, ...others], status) => {
  const refusal = (code: ErrorCode) => ({ code, message: code });
  const problem = problemOf(new AppError([refusal(first), ...others.map(refusal)]));
  expect(problem.status).toBe(status);
  expect(problem.body.errors.map(({ code }) => code)).toEqual([first, ...others]);
});

test("the audit log counts as refused what HTTP answers with 401, 403 and 404", () => {
  const codesOf = (...statuses: readonly number[]) =>
    (Object.keys(STATUS) as ErrorCode[]).filter((code) => statuses.includes(STATUS[code])).sort();
  expect([...FORBIDS].sort()).toEqual(codesOf(401, 403));
  expect([...MISSING].sort()).toEqual(codesOf(404));
});
