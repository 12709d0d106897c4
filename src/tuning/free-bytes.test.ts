import { expect, test } from "vitest";
import { freeBytes } from "./free-bytes.ts";

test("large bytes are empty afterwards, and hold nothing", () => {
  const bytes = Buffer.alloc(1_000_000, 7);
  freeBytes(bytes);
  expect([bytes.length, bytes.buffer.byteLength]).toEqual([0, 0]);
});

test("bytes that share their memory with others, and small ones, are left alone", () => {
  const whole = Buffer.alloc(1_000_000, 7);
  const [part, small] = [whole.subarray(0, 500_000), Buffer.from("small")];
  freeBytes(part);
  freeBytes(small);
  expect([whole.length, part.length, whole[999_999], small.toString()]).toEqual([1_000_000, 500_000, 7, "small"]);
});
