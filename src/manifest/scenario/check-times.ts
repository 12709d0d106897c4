import type * as r from "#manifest/reader.ts";
import { follow, hasKey, type Trail } from "#manifest/tree.ts";

/** What a step says about the time that passes in it. */
export function checkTimes(context: r.ReadContext, trail: Trail): void {
  if (!hasKey(trail, "within")) return;
  const within = follow(trail, ["within"]);
  if (hasKey(trail, "wait")) {
    const message = "wait lets exactly so much time pass, within at most so much. Keep one of the two.";
    context.reporter.atKey(within, { code: "conflicting_keys", message });
  } else if (!hasKey(trail, "expect") && !hasKey(trail, "command")) {
    const message = "within waits for what is expected, but nothing is. Add expect, or write wait.";
    context.reporter.atKey(within, { code: "missing_key", message });
  }
}
