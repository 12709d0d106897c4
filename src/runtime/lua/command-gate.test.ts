import { expect, test } from "vitest";
import { closeGate, createCommandGate, passGate } from "./command-gate.ts";

test("a gate knows which command began last, and lets none pass once it is closed", () => {
  const gate = createCommandGate();
  expect([passGate(gate, 1), passGate(gate, 3)]).toEqual([true, true]);
  expect(closeGate(gate)).toBe(3);
  expect(passGate(gate, 4)).toBe(false);
});

test("a gate that nothing passed is closed with 0", () => {
  const gate = createCommandGate();
  expect(closeGate(gate)).toBe(0);
  expect(passGate(gate, 1)).toBe(false);
});
