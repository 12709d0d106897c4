import { expect, test } from "vitest";
import { createConnectionSlots } from "./connection-slots.ts";

interface Connection {
  readonly name: string;
  isBusy: boolean;
}

/**
 * `a1` opens connection 1 of address a, `a1!` opens one that is in use, `a1~` touches it, `a1=g` lets g sign in on it and
 * `a1-` closes it. The result is what was closed to make room.
 */
function closed(steps: string, limits = { total: 6, perAddress: 3 }): string {
  const slots = createConnectionSlots<Connection>({ ...limits, isWaiting: ({ isBusy }) => !isBusy });
  const open = new Map<string, Connection>();
  const gone: string[] = [];
  for (const step of steps.split(" ")) {
    const name = step.slice(0, 2);
    const known = open.get(name);
    if (known !== undefined && step.endsWith("~")) slots.touch(known);
    else if (known !== undefined && step.includes("=")) {
      const excess = slots.signedIn(known, step.slice(3));
      if (excess !== undefined) gone.push(excess.name);
    } else if (known !== undefined) slots.remove(known);
    else {
      const connection = { name, isBusy: step.endsWith("!") };
      open.set(name, connection);
      const excess = slots.add(connection, name.slice(0, 1));
      if (excess !== undefined) gone.push(excess.name);
    }
  }
  return gone.join(" ");
}

test.each([
  ["all fit", "a1 a2 a3 b1 b2 b3", ""],
  ["the one that waits longest goes", "a1 a2 a3 a4 a5", "a1 a2"],
  ["one that was used goes later", "a1 a2 a3 a1~ a4 a5", "a2 a3"],
  ["one that is in use stays", "a1! a2 a3 a4", "a2"],
  ["when all are in use, the newcomer goes", "a1! a2! a3! a4!", "a4"],
  ["a closed one is out of the way", "a1 a2 a3 a2- a4", ""],
  ["of all, the address with the most makes room", "a1 b1 b2 c1 c2 c3 d1", "c1"],
  ["also when that is not the oldest", "a1 b1 c1 c2 d1 e1 f1", "c1"],
  ["unless all of its own are in use", "a1 b1 b2 c1! c2! c3! d1", "b1"],
  ["one that has signed in does not count for its address", "a1! a1=g a2! a2=h a3 a4 a5", ""],
  ["one that has signed in counts among all", "a1! a1=g a2! a2=h a3 a4 a5 b1 b2", "a3"],
  ["one that signs in too often makes room", "a1! a1=g b1 b1=g c1! c1=g d1! d1=g", "b1"],
  ["one that is gone cannot sign in", "a1 a1- a1=g a2 a3 a4", ""],
  ["when all of all are in use, the newcomer goes", "a1! b1! b2! c1! c2! c3! d1!", "d1"],
])("%s: %s", (_, steps, expected) => {
  expect(closed(steps)).toBe(expected);
});

test("nothing is remembered of a connection that is gone", () => {
  const slots = createConnectionSlots<number>({ total: 10, perAddress: 5, isWaiting: () => true });
  for (let n = 0; n < 100; n++) slots.add(n, `10.0.0.${n}`);
  expect(slots.size).toBe(10);
  for (let n = 0; n < 100; n++) slots.remove(n);
  expect(slots.size).toBe(0);
});
