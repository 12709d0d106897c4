// The register, the checks and docs/conformance.md agree.
import { expect, test } from "vitest";
import { sentenceIds } from "./register.ts";
import { findChecks, renderConformance } from "./render-conformance.ts";

const checks = findChecks();

test("every check names a sentence of the register", () => {
  expect([...checks.keys()].filter((id) => !sentenceIds.includes(id))).toEqual([]);
});

test("every sentence has a check", () => {
  expect(sentenceIds.filter((id) => !checks.has(id))).toEqual([]);
});

test("docs/conformance.md is up to date", async () => {
  await expect(renderConformance(checks)).toMatchFileSnapshot("../../docs/conformance.md");
});
