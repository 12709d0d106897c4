import { expect, test } from "vitest";
import { BatchWriter } from "./batch.ts";
import { packSealMark } from "./seal-mark.ts";
import { SharedPartition } from "./shared-partition.ts";
import type { SharedRow } from "./shared-store.ts";

/** `7` is a row of commit 7 with one point, and `8=5` the mark of commit 8 about the hour, up to commit 5. */
function rowOf(text: string, sequence: number): SharedRow {
  const [commit = "", last] = text.split("=");
  if (last !== undefined) {
    const batch = packSealMark({ last: Number(last), hours: [{ device: 1, hour: 0 }] });
    return { sequence, commit: Number(commit), isMark: true, batch };
  }
  const writer = new BatchWriter();
  writer.message(1, sequence, 1);
  writer.value(1, sequence);
  return { sequence, commit: Number(commit), isMark: false, batch: writer.take() };
}

/** Applies readings, each of some rows, and gives how many points stay in memory, and how often rows had to be read again. */
function play(...readings: readonly string[]): string {
  const partition = new SharedPartition();
  const journal: SharedRow[] = [];
  let again = 0;
  for (const reading of readings) {
    const rows = reading.split(" ").map((text, index) => rowOf(text, journal.length + index));
    journal.push(...rows);
    const remainders = partition.remainders(rows);
    again += remainders.length;
    const after = (last: number) => journal.filter(({ commit }) => commit > last);
    const kept = new Map(remainders.map((remainder) => [remainder, after(remainder.last)]));
    partition.apply({ partition: 1, last: 99, epoch: 0, rows }, kept);
  }
  return `${partition.hot.points} points, read again ${again}`;
}

test.each([
  [["3 4"], "2 points, read again 0"],
  [["3 4", "9=4"], "0 points, read again 0"],
  [["3 4 9=4"], "0 points, read again 0"],
  [["5", "9=4"], "1 points, read again 0"],
  [["5 9=4"], "1 points, read again 0"],
  [["6", "9=4"], "1 points, read again 0"],
  [["4 5", "9=4"], "1 points, read again 1"],
  [["3 4 5 6", "9=5 10=4"], "1 points, read again 1"],
  [["4 5 6 9=5 10=4"], "1 points, read again 0"],
])("of rows and marks %j stay %s", (readings, expected) => {
  expect(play(...readings)).toBe(expected);
});
