import { expect, test } from "vitest";
import { granularityFor, parseTime } from "../parse-time.ts";
import { csvPieces } from "./csv-pieces.ts";
import { parseSeries } from "./parse-series.ts";

const NOW = Date.UTC(2026, 10, 14, 12);

test.each([
  ["now", "2026-11-14T12:00:00.000Z"],
  ["-24h", "2026-11-13T12:00:00.000Z"],
  ["90m", "2026-11-14T10:30:00.000Z"],
  ["-1.5s", "2026-11-14T11:59:58.500Z"],
  ["1700000000", "2023-11-14T22:13:20.000Z"],
  ["1700000000.5", "2023-11-14T22:13:20.500Z"],
  ["-5", "1969-12-31T23:59:55.000Z"],
  ["today", new Date(2026, 10, 14).toISOString()],
  ["yesterday", new Date(2026, 10, 13).toISOString()],
  ["2026-01-02", new Date(2026, 0, 2).toISOString()],
  ["2026-01-02 03:04", new Date(2026, 0, 2, 3, 4).toISOString()],
  ["2026-01-02T03:04:05.678", new Date(2026, 0, 2, 3, 4, 5, 678).toISOString()],
  ["2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05.000Z"],
])("the time %s is %s", (text, expected) => {
  expect(new Date(parseTime("--from", text, NOW)).toISOString()).toBe(expected);
});

test.each(["", "tomorrow", "1700000000000", "2026-13-01", "2026-02-30", "2026-01-02 24:00", "--1h"])(
  "%j is no time",
  (text) => {
    expect(() => parseTime("--from", text, NOW)).toThrow("--from must be");
  },
);

test.each([
  [60_000, "1s"],
  [3_600_000, "1m"],
  [86_400_000, "30m"],
  [7 * 86_400_000, "3h"],
  [365 * 86_400_000, "7d"],
  [1e15, "1y"],
])("%d ms in at most 60 buckets is %s", (length, expected) => {
  expect(granularityFor(length, 60)).toBe(expected);
});

test("series are a device and its attributes", () => {
  expect(parseSeries(["meter:power, energy", "b"])).toEqual([
    { device: "meter", attributes: ["power", "energy"] },
    { device: "b", attributes: [] },
  ]);
  for (const wrong of ["", ":power", "meter:", "meter:,"])
    expect(() => parseSeries([wrong])).toThrow("names no telemetry");
});

async function pieces(text: string, chunk: number, size: number): Promise<readonly string[]> {
  async function* input() {
    for (let at = 0; at < text.length; at += chunk) yield Buffer.from(text.slice(at, at + chunk));
  }
  const found: string[] = [];
  for await (const { bytes, firstLine } of csvPieces(input(), () => size))
    found.push(`${firstLine}:${Buffer.from(bytes)}`);
  return found;
}

test.each([1, 3, 100])("CSV is cut between rows, each piece with the header (%d bytes at a time)", async (chunk) => {
  const found = await pieces('h\n1,"a\nb"\n2,c\n3,d', chunk, 1);
  expect(found.map((piece) => piece.slice(piece.indexOf("\n") + 1)).join("")).toBe('1,"a\nb"\n2,c\n3,d');
  expect(found.every((piece) => /^\d+:h\n/.test(piece))).toBe(true);
  expect(found[0]?.startsWith("2:")).toBe(true);
  if (chunk === 1) expect(found.map((piece) => piece.split(":")[0])).toEqual(["2", "4", "5"]);
});

test("no piece is without rows where there are some", async () => {
  expect(await pieces("h\n1\n2\n", 100, 1)).toEqual(["2:h\n1\n2\n"]);
});

test("a header alone is a piece too, so that it is checked", async () => {
  expect(await pieces("ts,telemetry=x\n", 5, 100)).toEqual(["2:ts,telemetry=x\n"]);
  expect(await pieces("", 5, 100)).toEqual([]);
});
