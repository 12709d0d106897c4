import { expect, test } from "vitest";
import { waitedBetween } from "./machine.ts";

const times = (waits: Readonly<Record<string, number>>) => ({ ranMs: 0, waitedMs: new Map(Object.entries(waits)) });

test.each([
  ["nobody waited", { main: 5 }, { main: 5 }, 0],
  ["all threads count", { main: 5, writer: 100 }, { main: 7, writer: 103 }, 5],
  ["a thread that has ended", { main: 5, reader: 3_800 }, { main: 7 }, 2],
  ["a thread that has begun", { main: 5 }, { main: 7, reader: 4 }, 6],
])("%s: what threads waited for a processor is counted thread by thread", (_case, before, after, expected) => {
  expect(waitedBetween(times(before), times(after))).toBe(expected);
});
