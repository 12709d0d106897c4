import { expect, test } from "vitest";
import { editDocument } from "./edit-document.ts";
import { readPlainDocument } from "./plain-document.ts";

const TEXT = `# The car.
name: Charge # from the sun

when:
  - { device: meter, attribute: power, below: -1500, hysteresis: 500 }
  # Holidays, too.
  - { variable: away, equals: true }
for: 2m
if: { device: battery, attribute: soc, above: 80 }
then:
  - claim: power
    device: charger
    target: 1e3
`;

test("a changed value leaves comments, order, quotes and blank lines as they were", () => {
  const edited = editDocument(TEXT, [
    { path: ["name"], value: "Drive" },
    { path: ["when", 0, "below"], value: -2000 },
    { path: ["then", 0, "target"], value: 1400.5 },
  ]);
  expect(edited).toBe(TEXT.replace("Charge #", "Drive #").replace("-1500", "-2000").replace("1e3", "1400.5"));
});

test("what is added is short, what is removed leaves nothing, and one thing becomes a list when another one follows", () => {
  const edited = editDocument(TEXT, [
    { path: ["when", 1], value: undefined },
    { path: ["for"], value: undefined },
    { path: ["if", 1], value: { from: "22:00", to: "06:00", days: ["mon", "tue"] } },
    { path: ["else"], value: [{ notify: "yes: no" }] },
    { path: ["then", 0, "target"], value: { device: "meter", attribute: "power", times: -1 } },
  ]);
  expect(readPlainDocument(edited, "rule").value).toMatchObject({
    when: [{ device: "meter", below: -1500 }],
    if: [
      { device: "battery", above: 80 },
      { from: "22:00", to: "06:00", days: ["mon", "tue"] },
    ],
    else: [{ notify: "yes: no" }],
    ["then" as const]: [{ claim: "power", target: { device: "meter", attribute: "power", times: -1 } }],
  });
  expect(edited).toContain("  - { from: 22:00, to: 06:00, days: [ mon, tue ] }\n");
  expect(edited).not.toContain("for:");
  expect(edited).toContain("# from the sun");
});

test("quotes of a text stay, but those of an empty one", () => {
  const edited = editDocument("a: \"x\"\nb: ''\n", [
    { path: ["a"], value: "y" },
    { path: ["b"], value: "z" },
  ]);
  expect(edited).toBe('a: "y"\nb: z\n');
});

test("texts that look like something else stay texts", () => {
  const values = ["true", "1", "22:00", "a: b", "# c", "", "- d", "two\nlines", "null", "{e}", "'f'"];
  const edited = editDocument(
    "values: [x]\n",
    values.map((value, index) => ({ path: ["values", index], value })),
  );
  expect(readPlainDocument(edited, "rule")).toEqual({ value: { values }, issues: [] });
});
