import { expect, test } from "vitest";
import { parseRetention, retentionMs } from "./retention.ts";

test.each([
  ["unlimited", Number.POSITIVE_INFINITY],
  ["1h", 3_600_000],
  ["30d", 2_592_000_000],
  ["1y", 31_536_000_000],
])("%s keeps values for %d ms", (text, expected) => {
  const retention = parseRetention(text);
  expect(retention === undefined ? undefined : retentionMs(retention)).toBe(expected);
});

test.each(["", "0s", "59m", "forever", "30", "-1d", "Unlimited"])("%j is no retention", (text) => {
  expect(parseRetention(text)).toBeUndefined();
});
