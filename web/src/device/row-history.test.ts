import { expect, test } from "vitest";
import { readManifest } from "#web/data/manifest.ts";
import { columnOf, historyKind, itemFor, lastDay, timesOf } from "./row-history.ts";

const { telemetry } = readManifest({
  telemetry: {
    power: { type: "float", unit: "W" },
    mode: { type: "integer", enum: [1, 2] },
    status: { type: "string" },
    open: { type: "boolean" },
    alerts: { type: "alerts" },
    plan: { type: "json" },
  },
});

test.each([
  ["power", "amount", "avg"],
  ["mode", "state", "last"],
  ["status", "state", "last"],
  ["open", "state", "last"],
  ["alerts", "state", "last"],
  ["plan", undefined, "last"],
])("%s is shown as %s", (name, kind, aggregation) => {
  const attribute = telemetry.get(name);
  if (attribute === undefined) throw new Error(name);
  expect([historyKind(attribute), itemFor("d", attribute).aggregation]).toEqual([kind, aggregation]);
});

test("values are placed on the grid of the last day; buckets without one stay empty", () => {
  const grid = lastDay(86_400_000 * 2 - 1, 3_600_000);
  expect([grid.from, grid.to, timesOf(grid).length]).toEqual([86_400_000, 172_800_000, 24]);
  const column = columnOf({ times: [grid.from, grid.from + 2 * 3_600_000, 0], values: [5, 7, 9] }, grid);
  expect(column.slice(0, 4)).toEqual([5, undefined, 7, undefined]);
});
