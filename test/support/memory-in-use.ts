import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** What is still in use: garbage says nothing about who holds what. */
export function memoryInUse(): NodeJS.MemoryUsage {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect !== "function") throw new Error("garbage cannot be collected here");
  collect();
  return process.memoryUsage();
}
