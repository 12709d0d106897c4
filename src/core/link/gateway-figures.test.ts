import { expect, test } from "vitest";
import { instant } from "#core/time/instant.ts";
import { NOTHING_DROPPED, readFigures, renderFigures } from "./gateway-figures.ts";

const NOW = 100_000_000;
const NONE = { changes: 0, messages: 0, points: 0, bytes: 0, hours: 0 };

test.each([
  ["nothing", undefined, undefined, false, 0],
  ["an hour", NOW - 60_000, undefined, false, 60],
  ["all stored history", undefined, NOW + 86_400_000, true, 0],
  ["history of before", undefined, NOW - 7_000, true, 7],
  ["an hour and older history", NOW - 5_000, NOW - 7_000, true, 7],
])("a gateway that has %s to upload reports so", (_what, oldestAt, historyBefore, history, ageSeconds) => {
  const time = (ms: number | undefined) => (ms === undefined ? undefined : instant(ms));
  const values = renderFigures(
    {
      isConnected: true,
      version: "1",
      uptimeMs: 0,
      backlog: { ...NONE, oldestAt: time(oldestAt) },
      historyBefore: time(historyBefore),
      dropped: NOTHING_DROPPED,
      load: { mainThread: 0, memoryBytes: 0, freeBytes: 0 },
    },
    NOW,
  );
  const newest = new Map([...values].map(([name, value]) => [name, { at: NOW, value }]));
  expect(readFigures(newest)?.backlog).toEqual({ ...NONE, history, ageSeconds });
});

test.each([
  [499, 0],
  [500, 1],
  [86_400_000, 86_400],
])("after %d ms it reports an uptime of %d s", (uptimeMs, seconds) => {
  const values = renderFigures(
    {
      ...{ isConnected: true, version: "1", uptimeMs, historyBefore: undefined, dropped: NOTHING_DROPPED },
      backlog: { ...NONE, oldestAt: undefined },
      load: { mainThread: 0, memoryBytes: 0, freeBytes: 0 },
    },
    NOW,
  );
  expect(values.get("uptime")).toBe(seconds);
});

test("a gateway that has not reported whether stored history is left has none", () => {
  expect(readFigures(new Map([["status", { at: NOW, value: "connected" }]]))?.backlog.history).toBe(false);
});
