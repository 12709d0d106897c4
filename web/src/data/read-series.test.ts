import { expect, test } from "vitest";
import { asNumbers, readSeries } from "./read-series.ts";

const QUESTION = { from: 0, to: 600, telemetry: [] };

async function* pieces(...texts: readonly string[]) {
  for (const text of texts) yield new TextEncoder().encode(text);
}

test("rows become columns, however the answer was cut", async () => {
  const answer = pieces("ts,telemetry=a,teleme", "try=b\n0,1.5,x\n300", ',,"y,z"\n');
  expect(await readSeries(async () => answer, QUESTION)).toEqual({
    times: [0, 300_000],
    columns: [
      ["1.5", undefined],
      ["x", "y,z"],
    ],
  });
});

test("times may be RFC 3339", async () => {
  const { times } = await readSeries(async () => pieces("ts,a\n2026-11-16T00:00:00.000Z,1"), QUESTION);
  expect(times).toEqual([Date.UTC(2026, 10, 16)]);
});

test("what has no value stays unknown", () => {
  expect(asNumbers(["1", undefined, "-2.5"])).toEqual([1, undefined, -2.5]);
  expect(asNumbers(undefined)).toEqual([]);
});
