import { expect, test } from "vitest";
import type { RowBlock } from "../row-block.ts";
import { type PointSettings, pointRenderer } from "./points.ts";

const decoder = new TextDecoder();
const present = (...bits: number[]) => Uint8Array.from(bits);
/** 30 March 2025, half an hour before clocks in Berlin go on. */
const AT = Date.UTC(2025, 2, 30, 0, 30);

const block: RowBlock = {
  count: 2,
  times: Float64Array.of(AT, AT + 3_600_500),
  timeUnitMs: 1,
  repeats: Uint32Array.of(0, 0),
  stepMs: 0,
  columns: [
    { kind: "number", values: Float64Array.of(1.5, 0), presence: present(1, 0) },
    { kind: "boolean", values: Uint8Array.of(1, 0), presence: present(1, 1) },
    { kind: "text", values: ['a "b"', ""], presence: present(1, 1) },
  ],
};

const rendered = (settings: Partial<PointSettings>, isLast = true) =>
  decoder.decode(
    pointRenderer({
      ...{ form: "csv", shape: "wide", time: "unix", timezone: "Europe/Berlin", isFirst: true },
      ...{ device: "meter, left", attributes: ["power", "on", "mode"] },
      ...settings,
    }).render(block, isLast),
  );

test("CSV has a row per moment with a cell per attribute, or a row per value", () => {
  const names = ["power", "on", "mode"].map((one) => `"telemetry=${one} device=meter, left"`).join(",");
  const rows = '1743294600,1.5,true,"a ""b"""\n1743298200.500,,false,""\n';
  expect(rendered({})).toBe(`ts,${names}\n${rows}`);
  expect(rendered({ isFirst: false })).toBe(rows);
  expect(rendered({ shape: "long" })).toBe(
    [
      "ts,device,telemetry,value",
      '1743294600,"meter, left",power,1.5',
      '1743294600,"meter, left",on,true',
      '1743294600,"meter, left",mode,"a ""b"""',
      '1743298200.500,"meter, left",on,false',
      '1743298200.500,"meter, left",mode,""\n',
    ].join("\n"),
  );
});

test("JSON Lines have an object per moment, or one per value", () => {
  expect(rendered({ form: "jsonl" })).toBe(
    '{"ts":1743294600,"device":"meter, left","power":1.5,"on":true,"mode":"a \\"b\\""}\n' +
      '{"ts":1743298200.500,"device":"meter, left","on":false,"mode":""}\n',
  );
  const of = (ts: string, name: string, value: string) =>
    `{"ts":${ts},"device":"meter, left","telemetry":"${name}","value":${value}}\n`;
  expect(rendered({ form: "jsonl", shape: "long" })).toBe(
    of("1743294600", "power", "1.5") +
      of("1743294600", "on", "true") +
      of("1743294600", "mode", '"a \\"b\\""') +
      of("1743298200.500", "on", "false") +
      of("1743298200.500", "mode", '""'),
  );
});

test.each([
  ["iso", "Europe/Berlin", ["2025-03-30T00:30:00.000Z", "2025-03-30T01:30:00.500Z"]],
  ["local", "Europe/Berlin", ["2025-03-30T01:30:00.000+01:00", "2025-03-30T03:30:00.500+02:00"]],
  ["local", "America/St_Johns", ["2025-03-29T22:00:00.000-02:30", "2025-03-29T23:00:00.500-02:30"]],
] as const)("times are written as %s in %s", (time, timezone, expected) => {
  const starts = rendered({ time, timezone, isFirst: false }).trimEnd().split("\n");
  expect(starts.map((row) => row.split(",")[0])).toEqual(expected);
  const json = rendered({ form: "jsonl", time, timezone }).trimEnd().split("\n");
  expect(json.map((row) => JSON.parse(row).ts)).toEqual(expected);
});
