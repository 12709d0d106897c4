import { expect, test } from "vitest";
import { copyBlock, type RowBlock } from "../row-block.ts";
import { createRenderer } from "./renderers.ts";

const decoder = new TextDecoder();
const present = (...bits: number[]) => Uint8Array.from(bits);

const block: RowBlock = {
  count: 2,
  // Arrays are longer than the rows that count.
  times: Float64Array.of(1_000, 5_000, 99_000),
  timeUnitMs: 1_000,
  repeats: Uint32Array.of(1, 0, 9),
  stepMs: 2_000,
  columns: [
    { kind: "number", values: Float64Array.of(1.5, 2, 9), presence: present(1, 0, 1) },
    { kind: "boolean", values: Uint8Array.of(1, 0, 1), presence: present(1, 1, 1) },
    { kind: "text", values: ["a,b", "", "z"], presence: present(1, 1, 1) },
  ],
};

test("CSV has its header once, an empty cell where there is no value, and repeated rows one by one", () => {
  const { render } = createRenderer({ renderer: "csv", settings: { header: "ts,n,on,text\n" } });
  const rows = '1,1.5,true,"a,b"\n3,1.5,true,"a,b"\n5,,false,""\n';
  expect(decoder.decode(render(block, false))).toBe(`ts,n,on,text\n${rows}`);
  expect(decoder.decode(render(copyBlock(block), false))).toBe(rows);
  expect(decoder.decode(render({ ...block, timeUnitMs: 1, count: 0 }, true))).toBe("");
});

test("CSV has milliseconds where times are not whole seconds", () => {
  const { render } = createRenderer({ renderer: "csv", settings: { header: "" } });
  expect(decoder.decode(render({ ...block, timeUnitMs: 1, count: 1, columns: [] }, true))).toBe("1.000\n3.000\n");
});
