import { expect, test } from "vitest";
import { stretches } from "./state-bands.ts";

const given = (text: string) => {
  const pairs = text
    .split(" ")
    .filter(Boolean)
    .map((pair) => pair.split("="));
  return { times: pairs.map(([at]) => Number(at)), values: pairs.map(([, value]) => value ?? "") };
};
const show = (text: string, measured?: readonly number[]) =>
  stretches(given(text), { bucketMs: 10, end: 100, measured: measured && new Set(measured) })
    .map(({ from, to, value, isFilled }) => `${from}-${to}=${value}${isFilled ? "?" : ""}`)
    .join(" ");

test.each([
  ["", ""],
  ["0=on", "0-10=on"],
  ["0=on 10=on 20=off 30=off", "0-20=on 20-40=off"],
  // Nothing is known between 10 and 50.
  ["0=on 10=on 50=on 60=off", "0-20=on 50-60=on 60-70=off"],
  // The last one does not reach beyond now.
  ["80=on 90=on 95=off", "80-95=on 95-100=off"],
])("[%s] are the stretches [%s]", (text, expected) => {
  expect(show(text)).toBe(expected);
});

test("what was carried on is a stretch of its own", () => {
  expect(show("0=on 10=on 20=on 30=off", [0, 30])).toBe("0-10=on 10-30=on? 30-40=off");
});
