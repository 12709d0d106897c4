import { expect, test } from "vitest";
import { createScriptMemory, openMemoryAccount, usedBytes } from "./script-memory.ts";

const MIB = 1_048_576;

test("large scripts leave half of the memory to small ones", () => {
  const memory = createScriptMemory(160 * MIB);
  const account = openMemoryAccount(memory, new Int32Array(1), 0);
  let large = 0;
  while (account.open(15 * MIB)) large++;
  expect(large).toBe(5);
  let small = 0;
  while (account.open(MIB / 4)) small++;
  expect(usedBytes(memory)).toBeGreaterThan(159 * MIB);
  expect(small).toBeGreaterThan(160);
});

test("a small script may grow where a large one may not", () => {
  const memory = createScriptMemory(160 * MIB);
  const account = openMemoryAccount(memory, new Int32Array(1), 0);
  for (let count = 0; count < 8; count++) account.open(14 * MIB);
  expect([account.grow(9 * MIB, 15 * MIB), account.grow(MIB / 2, MIB)]).toEqual([false, true]);
  account.close(14 * MIB);
  expect(account.grow(9 * MIB, 15 * MIB)).toBe(true);
});
