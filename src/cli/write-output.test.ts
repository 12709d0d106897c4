import { expect, test } from "vitest";
import { writeOutput } from "./write-output.ts";

test("what cannot be taken yet is waited for", async () => {
  const room: (() => void)[] = [];
  const stdout = {
    write: (text: string | Uint8Array) => text !== "much",
    once: (_: string, drained: () => void) => room.push(drained),
  };
  await writeOutput({ stdout }, "little");
  let isDone = false;
  const writing = writeOutput({ stdout }, "much").then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([isDone, room.length]).toEqual([false, 1]);
  room[0]?.();
  await writing;
});

test("an output that cannot report it is not waited for", async () => {
  await writeOutput({ stdout: { write: () => false } }, "much");
  await writeOutput({ stdout: { write: () => undefined } }, "much");
});
