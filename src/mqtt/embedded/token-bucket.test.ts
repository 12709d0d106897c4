import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { createTokenBucket } from "./token-bucket.ts";

/** `@500 take 3` moves the clock to 500 ms and takes 3 tokens; the answers are the waits. */
test.each([
  ["@0 take 20 take 1", "0 100"],
  ["@0 take 20 @100 take 1", "0 0"],
  ["@0 take 25 @0 take 1 @600 take 0", "500 600 0"],
  ["@0 take 20 @60000 take 20 take 1", "0 0 100"],
  ["@0 take 20 @-5000 take 1 @-4900 take 0", "0 100 0"],
])("ten tokens a second: %s waits %s ms", (script, expected) => {
  let now = 0;
  const bucket = createTokenBucket(10, () => instant(now));
  const waits = [...script.matchAll(/@(-?\d+)|take (\d+)/g)].flatMap(([, at, tokens]) => {
    if (at !== undefined) now = Number(at);
    return tokens === undefined ? [] : [bucket.take(Number(tokens))];
  });
  expect(waits.join(" ")).toBe(expected);
});
