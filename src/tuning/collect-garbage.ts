// Collects the garbage of this thread now. V8 does so by itself when its own heap has grown, and hardly counts what lies
// outside of it: the memories of ended scripts stayed for minutes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

let collect: (() => void) | undefined;

/** Takes some 10 ms. */
export function collectGarbage(): void {
  if (collect === undefined) {
    // Only contexts that are made afterwards have the function.
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
}
