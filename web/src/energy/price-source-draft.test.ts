import { expect, test } from "vitest";
import type { PriceSource } from "#client/resources.ts";
import { draftOfSource, readSourceDraft } from "./price-source-draft.ts";

const SOURCE: PriceSource = {
  kind: "import",
  url: "https://prices.example/",
  header: "X-Key",
  time: "/*/0",
  time_format: "ms",
  price: "/*/1",
  scale: 0.25,
  resolution: "15m",
  every: "2h",
  updated_at: "2026-11-18T00:00:00.000Z",
  next_at: "2026-11-18T00:00:00.000Z",
  failures: 0,
  succeeded_at: null,
  rows: null,
  failed_at: null,
  error: null,
};

test("a source that is only opened and saved stays what it was, and keeps its secret", () => {
  const { source, wrong } = readSourceDraft(draftOfSource(SOURCE));
  const { url, time, time_format, price, scale, resolution, every } = SOURCE;
  expect(source).toEqual({ url, time, time_format, price, scale, resolution, every, header: { name: "X-Key" } });
  expect([...wrong]).toEqual([]);
});

test("what is missing is named; commas are numbers", () => {
  const empty = draftOfSource(undefined);
  expect([...readSourceDraft(empty).wrong]).toEqual(["url", "time", "price"]);
  const typed = { ...draftOfSource(SOURCE), headerName: "", headerValue: "x", unit: "other", scale: "0,5" };
  expect(readSourceDraft(typed).source.scale).toBe(0.5);
  expect([...readSourceDraft(typed).wrong]).toEqual(["headerName"]);
  expect([...readSourceDraft({ ...typed, headerName: "X", scale: "0" }).wrong]).toEqual(["scale"]);
});
