import { expect, test } from "vitest";
import type { RegisterKind, Span } from "./modbus-map.ts";
import { planReads, splitRead } from "./plan-reads.ts";

/** `1h0+2` are two holding registers from 0 on of unit 1; `c` are coils. */
function spans(text: string): readonly Span[] {
  const kinds: Readonly<Record<string, RegisterKind>> = { h: "holding", i: "input", c: "coil", d: "discrete" };
  return text.split(" ").map((item) => {
    const [, unit, kind = "", address, count = "1"] = /^(\d+)([hicd])(\d+)(?:\+(\d+))?$/.exec(item) ?? [];
    return { unit: Number(unit), kind: kinds[kind] ?? "holding", address: Number(address), count: Number(count) };
  });
}

const words = (list: readonly Span[]) =>
  list.map(({ unit, kind, address, count }) => `${unit}${kind.charAt(0)}${address}+${count}`).join(" ");

test.each([
  ["neighbours are one request", "1h0 1h1+2 1h3", 0, "1h0+4"],
  ["the order does not matter", "1h3 1h0 1h1+2", 0, "1h0+4"],
  ["a gap up to the limit is read along", "1h0 1h5", 4, "1h0+6"],
  ["a larger gap is not", "1h0 1h6", 4, "1h0+1 1h6+1"],
  ["no request has more than 125 registers", "1h0 1h124 1h125", 200, "1h0+125 1h125+1"],
  ["a value is never cut in two", "1h0 1h124+2", 200, "1h0+1 1h124+2"],
  ["bits may be 2000", "1c0 1c1999 1c2000", 2000, "1c0+2000 1c2000+1"],
  ["units and kinds stay apart", "1h0 2h1 1i2", 9, "1h0+1 1i2+1 2h1+1"],
  ["the same registers are read once", "1h7 1h7 1h7+2", 0, "1h7+2"],
])("%s", (_, given, gap, expected) => {
  const plan = planReads(spans(given), gap);
  expect(words(plan)).toBe(expected);
  expect(plan.flatMap(({ wanted }) => wanted)).toHaveLength(given.split(" ").length);
});

test("a refused request loses its gaps first, then is divided into values", () => {
  const [request] = planReads(spans("1h0 1h1 1h5"), 10);
  const dense = splitRead(request ?? { unit: 1, kind: "holding", address: 0, count: 1, wanted: [] });
  expect(words(dense ?? [])).toBe("1h0+2 1h5+1");
  const [first, second] = dense ?? [];
  expect(words(first === undefined ? [] : (splitRead(first) ?? []))).toBe("1h0+1 1h1+1");
  expect(second === undefined ? [] : splitRead(second)).toBeUndefined();
});
