import { expect, test } from "vitest";
import type { ControlRecord } from "#client/resources.ts";
import { bandAt, controlBands, controlColumns } from "./control-bands.ts";

/** `10 rule 500`, `20 person 0 not_followed`, `30 -`: at, class, value, following. */
function records(text: string): readonly ControlRecord[] {
  return text
    .split(", ")
    .filter((one) => one !== "")
    .map((one) => {
      const [at = "", kind = "-", value = "0", follow = "followed"] = one.split(" ");
      const isFree = kind === "-";
      return {
        at: new Date(Number(at)).toISOString(),
        control: "power",
        value: isFree ? null : Number(value),
        measured: null,
        follow: follow as ControlRecord["follow"],
        class: isFree || kind === "limits" ? null : (kind as ControlRecord["class"]),
        source: isFree ? null : "token:x",
        source_name: null,
        reason: null,
        cause: null,
        door: null,
      };
    });
}

test.each([
  ["", ""],
  ["10 rule 500", "10-100 rule 500"],
  // What began before the range holds at its beginning; nobody controls from 60 on.
  ["-50 rule 500, 60 -", "0-60 rule 500"],
  // Newest first, as the interface gives them.
  ["60 -, 30 person 0, 10 rule 500", "10-30 rule 500, 30-60 person 0"],
  // That the device followed changes nothing, that it did not does.
  ["10 rule 5 settling, 20 rule 5, 30 rule 5 not_followed, 40 -", "10-30 rule 5, 30-40 rule 5 ignored"],
  ["10 limits 0, 20 -", "10-20 limits 0"],
  ["10 rule 5, 20 -, 30 rule 5", "10-20 rule 5, 30-100 rule 5"],
  ["150 rule 5", ""],
])("[%s] from 0 to 100 is [%s]", (given, expected) => {
  const bands = controlBands(records(given), { from: 0, to: 100 });
  const texts = bands.map(
    ({ from, to, class: kind, value, isIgnored }) =>
      `${from}-${to} ${kind ?? "limits"} ${value}${isIgnored ? " ignored" : ""}`,
  );
  expect(texts.join(", ")).toBe(expected);
});

test("a band ends before the moment in which the next one begins", () => {
  const bands = controlBands(records("10 rule 5, 20 person 6, 30 -"), { from: 0, to: 100 });
  expect([9, 10, 19, 20, 30].map((at) => bandAt(bands, at)?.value)).toEqual([undefined, 5, 5, 6, undefined]);
});

test("a file has what each control was set to and by whom, from where that begins", () => {
  const bands = controlBands(records("10 rule 5, 20 limits 6, 30 -"), { from: 0, to: 100 });
  const control = { id: "power", display_name: "Power", type: "float", unit: "W" } as const;
  const { header, starts, cellsAt } = controlColumns([{ device: "pcs", control, bands }]);
  expect(header).toEqual(["pcs:power set to (W)", "pcs:power set by"]);
  expect(starts).toEqual([10, 20]);
  expect([0, 10, 20, 30].map(cellsAt)).toEqual([
    [undefined, undefined],
    [5, "rule token:x"],
    [6, "limits"],
    [undefined, undefined],
  ]);
});
