import { expect, test } from "vitest";
import { joinTests, splitTests } from "./kept-tests.ts";

const RULE = "when: { every: 1h } # each hour\nthen: { notify: x }\n";
const TESTS = "devices:\n  meter: {telemetry: {power: 1}}\n\n# a comment\nsteps:\n  - wait: 1h\n";

test.each(["yaml", "lua"] as const)(
  "tests in %s come back as they were, also from a text with other line ends",
  (language) => {
    const joined = joinTests({ text: RULE, tests: TESTS }, language);
    expect(splitTests(joined, language)).toEqual({ text: RULE, tests: TESTS });
    expect(splitTests(joined.replaceAll("\n", "\r\n"), language)).toEqual({ text: RULE, tests: TESTS });
    expect(splitTests(joinTests({ text: RULE.trimEnd(), tests: TESTS.trimEnd() }, language), language).tests).toBe(
      TESTS,
    );
    // Again and again.
    expect(joinTests(splitTests(joined, language), language)).toBe(joined);
  },
);

test("every line of them is a comment", () => {
  const joined = joinTests({ text: RULE, tests: `${TESTS}]]\n--]] os.exit()\n` }, "lua");
  const added = joined.slice(RULE.trimEnd().length).split("\n");
  expect(added.filter((line) => line !== "" && !line.startsWith("-- "))).toEqual(["--"]);
});

test("a rule without tests stays as it is, and empty tests are none", () => {
  const own = `${RULE}# done\n`;
  expect(splitTests(own, "yaml")).toEqual({ text: own, tests: "" });
  expect(joinTests({ text: own, tests: " \n\n" }, "yaml")).toBe(own);
  expect(splitTests(`${RULE}# tests:\n`, "yaml")).toEqual({ text: RULE, tests: "" });
  expect(splitTests("# tests:\n# steps: []\nwhen: { every: 1h }\n", "yaml").tests).toBe("");
  expect(splitTests("-- tests:\n-- steps: []\n", "yaml").tests).toBe("");
  expect(splitTests("# tests:\n# steps: []", "yaml")).toEqual({ text: "", tests: "steps: []\n" });
});
