import { expect, test } from "vitest";
import { MAX_PASSWORD_LENGTH, passwordProblem } from "./password.ts";

const OWN = ["anna@example.org", "Anna Alder-Berg"];

test.each([
  ["", "at least 10"],
  ["ninechars", "at least 10"],
  ["🔋🔋🔋🔋🔋ab", "at least 10"],
  ["x".repeat(MAX_PASSWORD_LENGTH + 1), "more than 256"],
  ["1234567890", "tries first"],
  ["Password123", "tries first"],
  [" qwertzuiop ", "tries first"],
  ["aaaaaaaaaaaaaaa", "tries first"],
  ["abababababab", "tries first"],
  ["ANNA@example.org", "the name or the mail"],
  ["anna alder-berg", "the name or the mail"],
])("the password [%s] is refused: %s", (password, problem) => {
  expect(passwordProblem(password, OWN)).toContain(problem);
});

test.each([
  "four plain small words",
  "kzrtqwpxbd",
  "🔋🏭🔋🏭🔋🏭🔋⚡🏭☀",
  "größe zählt",
  "ab c".repeat(64),
  "constructor",
])("the password [%s] is accepted", (password) => {
  expect(passwordProblem(password, OWN)).toBeUndefined();
});
