import { expect, test } from "vitest";
import { itemAt } from "#core/item-at.ts";
import { BatchWriter } from "./batch.ts";
import { PartitionMemory } from "./partition-memory.ts";
import { PARTITIONS, type SharedRow } from "./shared-store.ts";

const PARTITION = itemAt(PARTITIONS, 1);
const DEVICE = 1;

function rowOf(commit: number): SharedRow {
  const writer = new BatchWriter();
  writer.message(DEVICE, commit, 1);
  writer.value(1, commit);
  return { sequence: commit, commit, isMark: false, batch: writer.take() };
}

/** A server with these commits; another one may take its place. */
function openMemory() {
  let commits: readonly number[] = [];
  const asked: number[] = [];
  const memory = new PartitionMemory(
    {
      async read(wanted) {
        return wanted.map(({ partition, after }) => {
          asked.push(after);
          const rows = commits.filter((one) => one > after).map(rowOf);
          return { partition, epoch: 0, last: commits.at(-1) ?? 0, rows };
        });
      },
    },
    () => {},
  );
  return {
    asked,
    async points(now: readonly number[]): Promise<number> {
      commits = now;
      await memory.update([PARTITION]);
      return memory.points;
    },
  };
}

test("a node reads what is above the newest commit that it knows", async () => {
  const { points, asked } = openMemory();
  expect([await points([1, 2]), await points([1, 2, 3]), await points([1, 2, 3])]).toEqual([2, 3, 3]);
  expect(asked).toEqual([0, 2, 3]);
});

test("a server that lacks commits that were read, and gives their numbers out again, is read anew", async () => {
  const { points, asked } = openMemory();
  expect(await points([1, 2, 3, 4])).toBe(4);
  expect(await points([1, 2])).toBe(2);
  expect(await points([1, 2, 3])).toBe(3);
  expect(asked).toEqual([0, 4, 0, 2]);
});
