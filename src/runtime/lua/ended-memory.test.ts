import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { countUntilCollected } from "./ended-memory.ts";
import { createScriptMemory, openMemoryAccount, usedBytes } from "./script-memory.ts";

const MIB = 1_048_576;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openAccount() {
  const memory = createScriptMemory(160 * MIB);
  const collect = vi.fn();
  const account = countUntilCollected(openMemoryAccount(memory, new Int32Array(1), 0), collect);
  return { account, collect, usedMiB: () => Math.floor(usedBytes(memory) / MIB) };
}

test("the memory of an ended script counts until it is collected, a moment later", () => {
  const { account, collect, usedMiB } = openAccount();
  account.open(8 * MIB);
  account.open(4 * MIB);
  account.close(8 * MIB);
  expect([usedMiB(), collect.mock.calls.length]).toEqual([12, 0]);
  vi.advanceTimersByTime(250);
  expect([usedMiB(), collect.mock.calls.length]).toEqual([4, 1]);
  vi.advanceTimersByTime(10_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test("much of it is collected at once, but not under the caller's feet", () => {
  const { account, collect, usedMiB } = openAccount();
  for (let n = 0; n < 2; n++) account.open(9 * MIB);
  for (let n = 0; n < 2; n++) account.close(9 * MIB);
  expect(collect).not.toHaveBeenCalled();
  vi.advanceTimersByTime(0);
  expect([usedMiB(), collect.mock.calls.length]).toEqual([0, 1]);
  vi.advanceTimersByTime(10_000);
  expect(collect).toHaveBeenCalledTimes(1);
});

test("a script that needs the room has it collected before it is refused", () => {
  const { account, collect } = openAccount();
  let opened = 0;
  while (account.open(15 * MIB)) opened++;
  expect(collect).not.toHaveBeenCalled();
  account.close(15 * MIB);
  expect([account.open(15 * MIB), collect.mock.calls.length]).toEqual([true, 1]);
  account.close(15 * MIB);
  expect([account.grow(8 * MIB, 15 * MIB), collect.mock.calls.length]).toEqual([true, 2]);
  expect([account.open(15 * MIB), collect.mock.calls.length]).toEqual([false, 2]);
  expect(opened).toBeGreaterThan(3);
});
