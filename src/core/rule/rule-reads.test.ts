import { expect, test } from "vitest";
import { ruleOf } from "../../../test/support/rule-run.ts";
import { ruleReads } from "./rule-reads.ts";

const READ = { device: "meter", attribute: "power", unit: undefined };

test.each([
  ["above: 5", []],
  ["change: 15m, above: 5", [{ ...READ, ms: 900_000 }]],
])("the values that { %s } needs of the time before", (comparison, windows) => {
  const text = `when: { device: meter, attribute: power, ${comparison} }\nthen: { notify: high }`;
  const reads = ruleReads(ruleOf(text));
  expect(reads.windows).toEqual(windows);
  expect(reads.attributes).toMatchObject([{ device: "meter", attribute: "power" }]);
});
