import { expect, test } from "vitest";
import { UNSET_FIELDS } from "#core/device/device.ts";
import { instant } from "#core/time/instant.ts";
import { DEVICE_COLUMNS, deviceValues, parseDevice } from "./device-row.ts";
import { parseSite } from "./site-row.ts";

const NAME = "n".repeat(5_000_000);
const ROW = { id: "i", name: NAME, timezone: "UTC", location: null, created_at: 0, updated_at: 0 };
const TIMES = { createdAt: instant(0), updatedAt: instant(0) };
const DEVICE = { ...UNSET_FIELDS, ...TIMES, id: "i", siteId: "s", name: NAME, slug: "d", type: "STANDALONE" } as const;

test("a name that was stored before names had a limit is cut", () => {
  expect(parseSite({ noteDamage: () => {} } as never, ROW).name).toHaveLength(200);
  const values = deviceValues(DEVICE);
  const row = Object.fromEntries(DEVICE_COLUMNS.split(", ").map((column, index) => [column, values[index] ?? null]));
  expect(parseDevice(row).name).toHaveLength(200);
});
