import { expect, test } from "vitest";
import { readColumns } from "./timeseries-columns.ts";

const HEADER =
  "ts,telemetry=power device=pcs aggregation=avg granularity=1m,telemetry=note device=pcs aggregation=last granularity=1m gap_filling_method=locf,telemetry=on device=pcs aggregation=last granularity=1m\n";
const TYPES = "float,string,boolean";

/** The text in pieces of some bytes each. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 2, 3, 7, 1000])("columns have the types of the header, in pieces of %d bytes", async (size) => {
  const rows = '1700000000,1.5,plain,true\n1700000060.250,,"a ""quoted"", 💡\nline",false\n1700000120,-0.001,"",\n';
  const { times, columns } = await readColumns(cut(HEADER + rows, size), TYPES);
  expect(times).toEqual(Float64Array.of(1_700_000_000, 1_700_000_060.25, 1_700_000_120));
  expect(columns.map(({ type }) => type)).toEqual(["float", "string", "boolean"]);
  const [power, note, on] = columns;
  expect(power).toMatchObject({ device: "pcs", attribute: "power", aggregation: "avg", granularity: "1m" });
  expect(power?.values).toEqual(Float64Array.of(1.5, Number.NaN, -0.001));
  expect(note?.values).toEqual(["plain", 'a "quoted", 💡\nline', ""]);
  expect(note?.labels["gap_filling_method"]).toBe("locf");
  expect(on?.values).toEqual([true, false, null]);
});

test("an answer without rows has columns without values, and many rows fit", async () => {
  expect((await readColumns(cut(HEADER, 9), TYPES)).columns.map(({ values }) => values.length)).toEqual([0, 0, 0]);
  const rows = Array.from({ length: 5_000 }, (_, row) => `${row},${row / 2},x,true\n`).join("");
  const { times, columns } = await readColumns(cut(HEADER + rows, 4_096), TYPES);
  expect([times.length, times[4_999], columns[0]?.values[4_999]]).toEqual([5_000, 4_999, 2_499.5]);
});

test("an answer that does not name the types of its columns is refused", async () => {
  await expect(readColumns(cut(HEADER, 50), null)).rejects.toThrow("type of each column");
});
