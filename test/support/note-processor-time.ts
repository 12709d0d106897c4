// Notes for each file of tests how much processor time it took, for the table of `npm test`: that of this process and of the
// programs that it started and that have ended. A time by the clock depends on what runs beside it.
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    processorMs?: number;
  }
}

const STAT = "/proc/self/stat";
/** Linux counts in hundredths of a second. */
const TICK_MS = 10;
/** Times of user and system, first of this process, then of its children. They follow the name, which ends with the last bracket. */
const TIMES = [11, 15] as const;

let before = 0;

beforeAll(() => {
  before = processorMs();
});

// biome-ignore lint/correctness/noEmptyPattern: vitest reads the first parameter for what the hook asks for.
afterAll(({}, { file }) => {
  file.meta.processorMs = processorMs() - before;
});

function processorMs(): number {
  if (!existsSync(STAT)) return 0;
  const text = readFileSync(STAT, "utf8");
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return fields.slice(...TIMES).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}
