import { expect, test } from "vitest";
import type { RowBlock } from "../row-block.ts";
import { createRenderer } from "./renderers.ts";

const decoder = new TextDecoder();
const present = (...bits: number[]) => Uint8Array.from(bits);

const block: RowBlock = {
  count: 2,
  times: Float64Array.of(1_000, 5_000),
  timeUnitMs: 1_000,
  repeats: Uint32Array.of(1, 0),
  stepMs: 2_000,
  columns: [
    { kind: "number", values: Float64Array.of(1.5, Number.POSITIVE_INFINITY), presence: present(1, 1) },
    { kind: "boolean", values: Uint8Array.of(1, 0), presence: present(1, 1) },
    { kind: "text", values: ['say "hi"', "z"], presence: present(1, 0) },
  ],
};

test("JSON has an array a row, null where there is no value, and what stands before and behind the rows once", () => {
  const { render } = createRenderer({ renderer: "json", settings: { before: '{"rows":[', behind: "\n]}\n" } });
  const first = decoder.decode(render(block, false));
  const last = decoder.decode(render({ ...block, count: 1, timeUnitMs: 1, repeats: Uint32Array.of(0) }, true));
  const row = '1.5,true,"say \\"hi\\""]';
  expect(first).toBe(`{"rows":[\n[1,${row},\n[3,${row},\n[5,null,false,null]`);
  expect(last).toBe(`,\n[1.000,${row}\n]}\n`);
  expect(JSON.parse(first + last).rows).toHaveLength(4);
});

test("JSON Lines have an object a row, without the values that are absent", () => {
  const { render } = createRenderer({ renderer: "jsonl", settings: { names: ["power", "is on", "mode"] } });
  const row = '"power":1.5,"is on":true,"mode":"say \\"hi\\""}';
  expect(decoder.decode(render(block, true))).toBe(
    `{"ts":1,${row}\n{"ts":3,${row}\n{"ts":5,"power":null,"is on":false}\n`,
  );
});
