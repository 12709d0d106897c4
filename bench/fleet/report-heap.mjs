// Loaded into the cloud under test: at SIGUSR2 it collects garbage and writes down what is left.
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

const file = process.env.BENCH_HEAP_FILE;
if (isMainThread && file !== undefined) {
  process.on("SIGUSR2", () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    for (let round = 0; round < 3; round++) collect();
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(file, String(heapUsed + external));
  });
}
