// Hot loops: each bounds its index, and `?? 0` is for the compiler. See core/item-at.ts.

import { ByteWriter } from "#core/bytes/byte-writer.ts";
import { itemAt } from "#core/item-at.ts";
import { type Before, BLOCK, PATCHED } from "./blocks.ts";
import { type Plan, planBlock } from "./plan-block.ts";

const words = new Uint32Array(BLOCK);

/** Writes the first `count` of `values`, whole numbers of magnitude below LIMIT, as the last section of a blob. */
export function writeIntegers(writer: ByteWriter, values: Float64Array, count: number): void {
  if (count === 0) return;
  const first = itemAt(values, 0);
  const difference = count > 1 ? itemAt(values, 1) - first : 0;
  writer.signed(first);
  writer.signed(difference);
  const heads = new ByteWriter(count >> 4);
  const body = new ByteWriter(count);
  const before: Before = { value: first - difference, difference };
  for (let from = 0; from < count; from += BLOCK) {
    const plan = planBlock(values.subarray(from, Math.min(from + BLOCK, count)), before);
    writeHead(heads, plan);
    writePacked(body, plan);
  }
  writer.unsigned(heads.length);
  writer.append(heads.bytes());
  writer.append(body.bytes());
}

function writeHead(heads: ByteWriter, plan: Plan): void {
  const { mode, residuals, base, width, patches } = plan;
  if (patches.length > 0) heads.byte((PATCHED << 6) | (patches.length - 1));
  heads.byte((mode << 6) | width);
  heads.signed(base);
  for (const at of patches) {
    heads.byte(at);
    heads.signed(itemAt(residuals, at) - base);
  }
}

function writePacked(body: ByteWriter, plan: Plan): void {
  const { residuals, count, base, width, patches } = plan;
  for (let i = 0; i < count; i++) words[i] = (residuals[i] ?? 0) - base;
  for (const at of patches) words[at] = 0;
  body.packed(words, count, Math.min(width, 32));
  if (width <= 32) return;
  for (let i = 0; i < count; i++) words[i] = Math.floor(((residuals[i] ?? 0) - base) / 2 ** 32);
  for (const at of patches) words[at] = 0;
  body.packed(words, count, width - 32);
}
